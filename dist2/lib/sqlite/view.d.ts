import Database from "better-sqlite3";
/**
 * A connection to a file that is there, to look at it, whoever else uses it. Nothing is written, and nothing is left
 * beside the file that was not there before. The schema may be an older one.
 * @throws DatabaseRefused
 */
export declare function openView(file: string): Database.Database;
/** The same, for a file whose schema must be the one of now. @throws DatabaseRefused */
export declare function openCurrentView(file: string): Database.Database;
/** The schema version of what is open. */
export declare function versionOf(database: Database.Database): number;
