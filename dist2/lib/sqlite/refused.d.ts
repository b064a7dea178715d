/** A database file that this version cannot work with. The message is one line and names the file and the way out. */
export declare class DatabaseRefused extends Error {
    constructor(message: string, options?: ErrorOptions);
}
/** Whether it is the file that is wrong, not its place. */
export declare function isContentFault(error: unknown): boolean;
/** What SQLite said when the file was opened, with the way out; what is no error of SQLite's comes back as it is. */
export declare function refusalOf(error: unknown, file: string): unknown;
