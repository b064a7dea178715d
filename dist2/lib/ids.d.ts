/** Random bytes, as many as asked for. */
export type RandomBytes = (length: number) => Uint8Array;
/** A uuid of version 7: 48 bits of milliseconds, then 74 random bits. Ids made later sort later, to the millisecond. */
export declare function uuidV7(now: number, random?: RandomBytes): string;
