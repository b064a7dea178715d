import Database from "better-sqlite3";
/**
 * Brings to the disk what a crash left in the log, before anyone is answered from it. SQLite takes up every commit that
 * it finds whole there, also one whose sync never came; and where a sync failed, the kernel has forgotten what it
 * could not write, so that only writing it again and a new sync bring it there.
 * @throws DatabaseRefused where the disk takes nothing
 */
export declare function secureLog(database: Database.Database): void;
/**
 * Closes a database that was refused. The last connection that can write would move the log into the database, though
 * nobody knows whether the log is on the disk: a loss of power in the middle of that could not be mended from it.
 */
export declare function closeLeavingLog(database: Database.Database): void;
