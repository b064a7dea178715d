import type { Credential } from "../storage.ts";
/** Reads rows with one prepared statement. */
export type Read = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;
/**
 * Looks keys up by their hash: whose it is in the small table that knows, then the key at its tenant. Only whose it is
 * is remembered, which never changes; the key itself is read each time, so that a revocation holds at once everywhere.
 */
export declare function apiKeyLookup(read: Read): (hash: string) => Promise<Credential | undefined>;
