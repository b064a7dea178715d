/** A database file that nobody else can open, so that another may take its name. */
export type Hold = {
    /** The file gets a second name, as it is; it may be damaged. */
    keepAs(name: string): void;
    letGo(): void;
};
/**
 * Takes hold of a database that nobody uses. What a crash left in its log is in the file afterwards.
 * @throws DatabaseRefused where it is in use
 */
export declare function takeHold(file: string): Hold;
