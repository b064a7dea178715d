import { hash } from "node:crypto";
import { ApiError } from "../model/errors.ts";
import type { IdempotencyRecord } from "../model/integration.ts";
import { isUuid } from "../model/scalars.ts";
import type { Write } from "../storage/storage.ts";
import { canonicalize } from "./rules/record-diff.ts";

/** How long a stored response is valid, from the first use of its key. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** The parts of a request that its fingerprint covers. */
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
export function parseIdempotencyKey(header: string): string | undefined {
  const key = /^(?:"([^"]*)"|([^"]*))$/.exec(header.trim())?.slice(1).join("") ?? "";
  return isUuid(key) ? key.toLowerCase() : undefined;
}

/** Returns the SHA-256 of a request. White space and key order of the body don't matter. */
export function computeFingerprint({ method, path, query, body }: RequestIdentity): string {
  return hash("sha256", JSON.stringify([method, path, canonicalize(query), canonicalize(body ?? null)]));
}

/** Returns the stored response if the key was used for the same request and the response is still valid. */
export function findReplay(
  record: IdempotencyRecord | undefined,
  { fingerprint }: IdempotentRequest,
  now: number,
): StoredResponse | undefined {
  return record?.fingerprint === fingerprint && !isExpired(record, now) ? record : undefined;
}

/** @throws ApiError `422 idempotency_key_reused` if the key was used for a different request */
export function assertKeyUnused(record: IdempotencyRecord | undefined, now: number): void {
  if (record === undefined || isExpired(record, now)) return;
  const message = "This Idempotency-Key was already used for a different request. Use a new key.";
  throw new ApiError("idempotency_key_reused", message);
}

/** Returns the write that stores a response. It replaces `expired`, if there is one. */
export function storeResponseWrite(
  idempotent: IdempotentRequest,
  { status, body, location }: StoredResponse,
  at: number,
  now: number,
  expired: IdempotencyRecord | undefined,
): Write {
  const record = { ...idempotent, status, body, location, createdAt: now, updatedAt: at, archivedAt: null };
  if (expired === undefined) return { op: "insert", kind: "idempotencyRecord", record };
  return { op: "update", kind: "idempotencyRecord", record, expectedUpdatedAt: expired.updatedAt };
}

function isExpired(record: IdempotencyRecord, now: number): boolean {
  return record.createdAt + idempotencyWindowMs <= now;
}
