/** Where a file is, or will be: behind links, where SQLite keeps its log, and whichever folder the process changes to. */
export declare function pathOf(file: string): string;
/** The folder is there, and so is its name in the one above, and those of the folders that had to be made on the way. */
export declare function makeFolder(folder: string): void;
/** Whether something has this name. @throws DatabaseRefused where this user may not know */
export declare function isFound(path: string): boolean;
/** Of a file that this user may not read, that it is so; any other error comes back as it is. */
export declare function refusalToRead(path: string, error: unknown): unknown;
/** A name in a folder is on the disk. */
export declare function syncName(path: string): void;
/** What was written to the file, or the names in the folder, are on the disk. Windows keeps names unasked. */
export declare function sync(path: string): void;
/**
 * Gives a file that is whole its name, where nothing has that name yet, durably.
 * @throws an error with the code EEXIST where something has
 */
export declare function giveName(draft: string, path: string): void;
/** What a file system says that knows no links. */
export declare const noLinks: readonly string[];
/** A name beside a file that says what it is and sorts by time: `crm.db.before-restore-2026-11-21T14-30-00-123Z`. */
export declare function nameBeside(file: string, what: string): string;
