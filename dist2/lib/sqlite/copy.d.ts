import Database from "better-sqlite3";
/**
 * Copies what a connection sees into a new file, readable by its owner only, while others go on using the database.
 * The copy is of one moment; it is whole, checked and on the disk when this returns, and a copy that fails leaves
 * nothing. It stops the event loop for as long as it takes.
 * @throws DatabaseRefused
 */
export declare function copyTo(database: Database.Database, target: string): void;
/** The name of a file that is not whole yet, beside the one that it is to become. */
export declare function draftOf(target: string): string;
export declare function removeDraft(draft: string): void;
/** Reads all of a file that nobody else uses. @throws DatabaseRefused where anything in it is not as it must be */
export declare function assertSound(file: string): void;
/** What is wrong in a database, a line each, ten at most: pages, rows and references; with `full` the indexes too. */
export declare function faultsIn(database: Database.Database, full: boolean): readonly string[];
