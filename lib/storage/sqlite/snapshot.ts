import type { Database } from "better-sqlite3";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { ConnectionPair } from "./connection-pair.ts";
import type { GuardedConnections } from "./database-file.ts";
import { openReadonlyCurrent } from "./open-readonly.ts";
import { SqliteStorage } from "./storage.ts";

/**
 * Opens a consistent, read-only snapshot of a database file. Later writes of any process are not visible in it.
 * @throws DatabaseError if the file doesn't exist or has another schema version
 */
export function sqliteSnapshot(options: { readonly file: string }): Storage {
  const database = openReadonlyCurrent(options.file);
  // The snapshot of a deferred transaction starts at its first read.
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM settings").get();
  return new SqliteStorage(new ReadonlySource(database));
}

/** The connection of a snapshot. */
class ReadonlySource implements GuardedConnections {
  readonly connections: ConnectionPair;

  constructor(database: Database) {
    this.connections = new ConnectionPair(database, database);
  }

  assertUnchanged(): void {
    throw new StorageUnavailable("A snapshot is read-only.");
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}
