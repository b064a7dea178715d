import type { Database } from "better-sqlite3";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { ConnectionPair } from "./connection-pair.ts";
import type { ConnectionSource } from "./database-file.ts";
import { openReadonlyCurrent } from "./open-readonly.ts";
import { SqliteStorage } from "./storage.ts";

/**
 * A database file as it is at this moment, whatever is written meanwhile, by this process or others: for a dump that
 * is of one moment however long it takes. It refuses writes.
 * @throws DatabaseError where there is no file, or one of another schema than that of now
 */
export function sqliteSnapshot(options: { readonly file: string }): Storage {
  const database = openReadonlyCurrent(options.file);
  // A deferred transaction sees the database as it is at its first read.
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM settings").get();
  return new SqliteStorage(new ReadonlySource(database));
}

/** The connection of a snapshot. */
class ReadonlySource implements ConnectionSource {
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
