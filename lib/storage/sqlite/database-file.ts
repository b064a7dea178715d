import type { Database } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { ConnectionPair } from "./connection-pair.ts";
import { toDatabaseError } from "./database-error.ts";
import { identifyFile } from "./file-identity.ts";
import { openWriter } from "./open.ts";
import type { CommitWorkerOptions } from "./options.ts";

/** The connections of a storage, and the check that they still belong to the file at the path. */
export type GuardedConnections = Pick<DatabaseFile, "connections" | "assertUnchanged" | "close">;

/** Guards the database file. Reads use the open file. Writes fail if the path now holds another file. */
export class DatabaseFile {
  readonly connections: ConnectionPair;
  readonly #path: string;
  #size: number;

  /** @throws DatabaseError */
  constructor(path: string, open: (path: string) => Database = openWriter, options: CommitWorkerOptions = {}) {
    this.#path = path;
    const database = open(path);
    try {
      this.connections = new ConnectionPair(database, undefined, options);
    } catch (error) {
      database.close();
      throw toDatabaseError(error, path);
    }
    this.#size = this.connections.fileIdentity?.size ?? 0;
  }

  /** @throws StorageUnavailable if the file or its WAL was removed, replaced or truncated since it was opened */
  assertUnchanged(): void {
    const { fileIdentity: opened } = this.connections;
    if (opened === undefined) return;
    const [path, found] = [this.#path, identifyFile(this.#path)];
    if (found === undefined) throw new StorageUnavailable(`${path} was deleted. Restore it.`);
    if (found.file !== opened.file) throw new StorageUnavailable(replacedMessage(path, found.log === opened.log));
    if (found.log !== opened.log)
      throw new StorageUnavailable(`${path}-wal was removed while it was open. Restart the server.`);
    if (found.size < this.#size && !this.connections.fitsAllPages(found.size))
      throw new StorageUnavailable(`${path} was truncated to ${found.size} bytes. Restore it from a backup.`);
    this.#size = found.size;
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

/** SQLite would apply a WAL of the old file to the new one. */
function replacedMessage(path: string, isOldWal: boolean): string {
  if (isOldWal)
    return `${path} was replaced, but ${path}-wal belongs to the old file. Stop the server, remove ${path}-wal and start it again.`;
  return "The database file was replaced while it was open. Restart the server to use the new file.";
}
