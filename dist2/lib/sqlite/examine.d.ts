import Database from "better-sqlite3";
/** Written into the header of every file of ours: "CRMi" as a number. */
export declare const applicationId = 1129467241;
/** Larger files are not read whole at every start; `PRAGMA quick_check` reads about 1 GB a second. */
export declare const quickCheckBytesMax: number;
/**
 * Looks at a file before anything is opened that could write to it: one that is refused stays byte for byte what it
 * was. Answers whether its contents were looked at too. @throws DatabaseRefused
 */
export declare function examine(file: string, schemaVersion: number): boolean;
/** Asks SQLite what the header and the log say together, and, up to a size, whether the file is sound. */
export declare function checkContents(database: Database.Database, schemaVersion: number): void;
