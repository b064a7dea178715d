/** Ids and random bytes that are the same in every run. The next ones follow from how many there were. */
export declare class Counting {
    ids: number;
    bytes: number;
    constructor({ ids, bytes }?: {
        readonly ids: number;
        readonly bytes: number;
    });
    /** Uuids of version 7 that count up. */
    readonly newId: () => string;
    /** Bytes that look random and are not. */
    readonly random: (length: number) => Uint8Array;
}
/** Uuids of version 7 that count up, so that a failing run shows the same ids again. */
export declare function countingIds(): () => string;
