import type { Storage } from "../storage.ts";
import { Place } from "./database-file.ts";
import { openImage, openWriter } from "./open.ts";
import { SqliteStorage } from "./storage.ts";

/** A storage in memory whose whole content can be taken and put into another in a millisecond or less. */
export type ImagedStorage = { readonly storage: Storage; image(): Buffer };

/** With what the image holds; without one empty, and cursors are signed with this secret. */
export function imagedStorage(from: { readonly image: Buffer } | { readonly secret: Uint8Array }): ImagedStorage {
  const database = "image" in from ? openImage(from.image) : openWriter(":memory:");
  if ("secret" in from) database.prepare("UPDATE settings SET value = ? WHERE name = 'cursor_secret'").run(from.secret);
  const storage = new SqliteStorage(new Place(":memory:", () => database));
  return { storage, image: () => database.serialize() };
}
