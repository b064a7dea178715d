import type { Storage } from "../storage.ts";
import { DatabaseFile } from "./database-file.ts";
import { openBytes, openWriter } from "./open.ts";
import { SqliteStorage } from "./storage.ts";

/** A storage in memory that can be serialized. */
export type ImageStorage = { readonly storage: Storage; serialize(): Buffer };

/** Opens a storage from an image, or an empty one with the given cursor secret. */
export function openMemoryImage(from: { readonly image: Buffer } | { readonly secret: Uint8Array }): ImageStorage {
  const database = "image" in from ? openBytes(from.image) : openWriter(":memory:");
  if ("secret" in from) database.prepare("UPDATE settings SET value = ? WHERE name = 'cursor_secret'").run(from.secret);
  const storage = new SqliteStorage(new DatabaseFile(":memory:", () => database));
  return { storage, serialize: () => database.serialize() };
}
