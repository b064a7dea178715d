import type { Storage } from "../storage.ts";
/** A storage in memory whose whole content can be taken and put into another in a millisecond or less. */
export type ImagedStorage = {
    readonly storage: Storage;
    image(): Buffer;
};
/** With what the image holds; without one empty, and cursors are signed with this secret. */
export declare function imagedStorage(from: {
    readonly image: Buffer;
} | {
    readonly secret: Uint8Array;
}): ImagedStorage;
