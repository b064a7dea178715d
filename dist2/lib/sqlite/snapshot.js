import { StorageUnavailable } from "../storage.js";
import { Connections } from "./connections.js";
import { SqliteStorage } from "./storage.js";
import { openCurrentView } from "./view.js";
/**
 * A database file as it is at this moment, whatever is written meanwhile, by this process or others: for a dump that
 * is of one moment however long it takes. It refuses writes.
 * @throws DatabaseRefused where there is no file, or one of another schema than that of now
 */
export function sqliteSnapshot(options) {
    const database = openCurrentView(options.file);
    // A deferred transaction sees the database as it is at its first read.
    database.exec("BEGIN");
    database.prepare("SELECT count(*) FROM settings").get();
    return new SqliteStorage(new Moment(database));
}
/** A place at one moment. */
class Moment {
    open;
    constructor(database) {
        this.open = new Connections(database, database);
    }
    standing() {
        throw new StorageUnavailable("A snapshot takes no writes.");
    }
    assertStands() { }
    close() {
        return this.open.close();
    }
}
