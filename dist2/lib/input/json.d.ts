/** How much a JSON text may hold: keys of one object or entries of one list, and keys and entries in all. */
export type JsonLimits = {
    readonly maxMembers: number;
    readonly maxTotalMembers: number;
};
/** A body that is not what JSON allows or we accept. The message is for the caller. */
export declare class JsonFault extends Error {
    constructor(message: string);
}
/**
 * Parses the bytes of a JSON object. Stricter than `JSON.parse`, which keeps the last of two equal keys and, behind a
 * lenient decoder, replaces broken UTF-8. The limits are checked before any value is built, so that a body that
 * exceeds them costs one pass over its text.
 * @throws JsonFault
 */
export declare function parseJsonObject(bytes: Uint8Array, limits?: JsonLimits): Readonly<Record<string, unknown>>;
