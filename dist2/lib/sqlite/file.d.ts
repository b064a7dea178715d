import Database from "better-sqlite3";
import { type Migration } from "./migrations.ts";
import type { OnMigrated } from "./told.ts";
/**
 * Opens the file, making it (0600, in a 0700 folder) where there is none, and brings an older one up to date. Its
 * statements never wait for a lock: whoever waits does so outside, asynchronously. @throws DatabaseRefused
 */
export declare function openWriter(file: string, steps?: readonly Migration[], tell?: OnMigrated): Database.Database;
/** The same for a file that must be there: none is made. @throws DatabaseRefused */
export declare function openExisting(file: string, steps?: readonly Migration[], tell?: OnMigrated): Database.Database;
/** One more connection that writes, to a file that this process has open. */
export declare function openBeside(file: string): Database.Database;
/** A database in memory that holds what the image holds: the bytes of another. */
export declare function openImage(image: Buffer): Database.Database;
/** A second connection that can only read. Null bytes of work are shared with the writer but the file. */
export declare function openReader(file: string): Database.Database;
