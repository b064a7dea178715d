import type { RandomBytes } from "../ids.ts";
/**
 * A new key: `crm_live_` or `crm_test_`, 8 characters that may be shown, `_`, 43 random characters (256 bits) and
 * 6 that are the CRC32 of all before, so that a mistyped key is told from an unknown one without a look-up.
 */
export declare function makeApiKey(mode: "live" | "test", random: RandomBytes): string;
/** Whether a text has the form of a key and its checksum is right. */
export declare function isApiKey(value: string): boolean;
/** What is kept of a key: its SHA-256 in hex. */
export declare function hashOf(key: string): string;
/** Compares two hashes in a time that does not depend on where they differ. */
export declare function sameHash(a: string, b: string): boolean;
/** What may be shown of a key: enough to tell it from others, nothing that helps to guess it. */
export declare function maskOf(key: string): string;
