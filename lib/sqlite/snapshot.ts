import type { Database } from "better-sqlite3";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { Connections } from "./connection-pair.ts";
import type { PlaceLike } from "./database-file.ts";
import { openCurrentView } from "./open-readonly.ts";
import { SqliteStorage } from "./storage.ts";

/**
 * A database file as it is at this moment, whatever is written meanwhile, by this process or others: for a dump that
 * is of one moment however long it takes. It refuses writes.
 * @throws DatabaseRefused where there is no file, or one of another schema than that of now
 */
export function sqliteSnapshot(options: { readonly file: string }): Storage {
  const database = openCurrentView(options.file);
  // A deferred transaction sees the database as it is at its first read.
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM settings").get();
  return new SqliteStorage(new Moment(database));
}

/** A place at one moment. */
class Moment implements PlaceLike {
  readonly open: Connections;

  constructor(database: Database) {
    this.open = new Connections(database, database);
  }

  standing(): Connections {
    throw new StorageUnavailable("A snapshot takes no writes.");
  }

  assertStands(): void {}

  close(): Promise<void> {
    return this.open.close();
  }
}
