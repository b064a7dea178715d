/** Made by root, a file is still of whoever owns this other one, or the folder. */
export declare function giveOwner(made: string, like: string): void;
/** What is said of a file that this user may not read; undefined of any other error of the system. */
export declare function unreadable(path: string, error: unknown): string | undefined;
