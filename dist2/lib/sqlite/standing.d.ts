/** Which file stands at a path, how long it is, and which stands where its log belongs ("" where none does). */
export type Standing = {
    readonly file: string;
    readonly size: number;
    readonly log: string;
};
/** Undefined where there is no file, or nobody may look. */
export declare function standingAt(path: string): Standing | undefined;
