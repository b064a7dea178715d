import type { IdempotencyRecord } from "./records/integration.ts";
import type { Write } from "./storage.ts";
/** How long a stored response is valid, from the first use of its key. */
export declare const idempotencyWindowMs: number;
/** What identifies a request. */
export type RequestIdentity = {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly body: unknown;
};
/** A stored response. The body is stored as text so that a replay is identical. */
export type StoredResponse = {
    readonly status: number;
    readonly body: string | null;
    readonly location: string | null;
};
/** A request with an Idempotency-Key: the ID of its record, and the fingerprint of the request. */
export type IdempotentRequest = Pick<IdempotencyRecord, "id" | "integrationId" | "fingerprint">;
/** Returns the key in an Idempotency-Key header, bare or in quotes, in lower case. Undefined if it isn't a UUID. */
export declare function parseIdempotencyKey(header: string): string | undefined;
/** Returns the SHA-256 of a request. White space and key order of the body don't matter. */
export declare function computeFingerprint({ method, path, query, body }: RequestIdentity): string;
/** Returns the stored response if the key was used for the same request and the response is still valid. */
export declare function findReplay(record: IdempotencyRecord | undefined, { fingerprint }: IdempotentRequest, now: number): StoredResponse | undefined;
/** @throws ApiError `422 idempotency_key_reused` if the key was used for a different request */
export declare function assertKeyUnused(record: IdempotencyRecord | undefined, now: number): void;
/** Returns the write that stores a response. It replaces `expired`, if there is one. */
export declare function storeResponseWrite(idempotent: IdempotentRequest, { status, body, location }: StoredResponse, at: number, now: number, expired: IdempotencyRecord | undefined): Write;
