import { openImage, openWriter } from "./file.js";
import { Place } from "./place.js";
import { SqliteStorage } from "./storage.js";
/** With what the image holds; without one empty, and cursors are signed with this secret. */
export function imagedStorage(from) {
    const database = "image" in from ? openImage(from.image) : openWriter(":memory:");
    if ("secret" in from)
        database.prepare("UPDATE settings SET value = ? WHERE name = 'cursor_secret'").run(from.secret);
    const storage = new SqliteStorage(new Place(":memory:", () => database));
    return { storage, image: () => database.serialize() };
}
