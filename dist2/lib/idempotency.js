import { hash } from "node:crypto";
import { ApiError } from "./errors.js";
import { isUuid } from "./input/scalars.js";
import { sorted } from "./rules/change.js";
/** How long a stored response is valid, from the first use of its key. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;
/** Returns the key in an Idempotency-Key header, bare or in quotes, in lower case. Undefined if it isn't a UUID. */
export function parseIdempotencyKey(header) {
    const key = /^(?:"([^"]*)"|([^"]*))$/.exec(header.trim())?.slice(1).join("") ?? "";
    return isUuid(key) ? key.toLowerCase() : undefined;
}
/** Returns the SHA-256 of a request. White space and key order of the body don't matter. */
export function computeFingerprint({ method, path, query, body }) {
    return hash("sha256", JSON.stringify([method, path, sorted(query), sorted(body ?? null)]));
}
/** Returns the stored response if the key was used for the same request and the response is still valid. */
export function findReplay(record, { fingerprint }, now) {
    return record?.fingerprint === fingerprint && !isExpired(record, now) ? record : undefined;
}
/** @throws ApiError `422 idempotency_key_reused` if the key was used for a different request */
export function assertKeyUnused(record, now) {
    if (record === undefined || isExpired(record, now))
        return;
    const message = "This Idempotency-Key was already used for a different request. Use a new key.";
    throw new ApiError("idempotency_key_reused", message);
}
/** Returns the write that stores a response. It replaces `expired`, if there is one. */
export function storeResponseWrite(idempotent, { status, body, location }, at, now, expired) {
    const record = { ...idempotent, status, body, location, createdAt: now, updatedAt: at, archivedAt: null };
    if (expired === undefined)
        return { op: "insert", kind: "idempotencyRecord", record };
    return { op: "update", kind: "idempotencyRecord", record, was: expired.updatedAt };
}
function isExpired(record, now) {
    return record.createdAt + idempotencyWindowMs <= now;
}
