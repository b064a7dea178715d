import { hash } from "node:crypto";
import { formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import type { IdempotencyRecord } from "../model/integration.ts";
import { isUuid } from "../model/scalars.ts";
import type { Storage, Write } from "../storage/storage.ts";
import type { Caller } from "./endpoint.ts";
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

/** A request with an Idempotency-Key, and the ID of its record. */
export type IdempotentRequest = Pick<IdempotencyRecord, "id" | "integrationId"> & { readonly request: RequestIdentity };

/** A read of an idempotency record. */
export type RecordRead = Pick<IdempotencyRecord, "id"> & {
  readonly tenantId: string;
  readonly found: Promise<IdempotencyRecord | undefined>;
};

type Fingerprint = (request: RequestIdentity) => string;

/**
 * The fingerprint of each version, which never changes: a record that an older version of the program stored is
 * compared with the fingerprint of its version. White space and key order of the body don't matter. No body is the same
 * as `{}`.
 */
const fingerprints: Readonly<Record<string, Fingerprint>> = {
  "1": ({ method, path, query, body }) =>
    hash("sha256", JSON.stringify([method, path, canonicalize(query), canonicalize(body ?? {})])),
};

/** The version of new records. */
const fingerprintVersion = "1";

/** Returns the key in an Idempotency-Key header without quotes around it. Returns an empty text if there is no key. */
export function unquoteIdempotencyKey(header: string): string {
  return header.trim().replace(/^"(.*)"$/, "$1");
}

/**
 * Returns the key in an Idempotency-Key header. A UUID is in lower case. Undefined unless it has 1 to 255 printable
 * ASCII characters.
 */
export function parseIdempotencyKey(header: string): string | undefined {
  const key = unquoteIdempotencyKey(header);
  if (!/^[ -~]{1,255}$/.test(key)) return undefined;
  return isUuid(key) ? key.toLowerCase() : key;
}

/** Returns the ID of the record of an Idempotency-Key. Undefined without a valid key. */
export function idempotencyRecordId(caller: Caller, header: string | null | undefined): string | undefined {
  const key = header ? parseIdempotencyKey(header) : undefined;
  return key === undefined ? undefined : `${ownerOf(caller)}:${key}`;
}

/**
 * Returns the owner of an idempotency key: the integration, so that the idempotency key stays valid after an API key
 * rotation.
 */
function ownerOf({ integrationId, userId, keyId }: Caller): string {
  return integrationId ?? (userId === null && keyId !== null ? `key:${keyId}` : `user:${userId}`);
}

/**
 * Begins to read the record of an Idempotency-Key while its caller is authenticated, because PostgreSQL then gets both
 * reads in one round trip. Undefined without a valid key.
 */
export function startRecordRead(
  storage: Pick<Storage, "get">,
  caller: Caller,
  header: string | null | undefined,
): RecordRead | undefined {
  const id = idempotencyRecordId(caller, header);
  if (id === undefined) return undefined;
  const read = async () => storage.get(caller.tenantId, "idempotencyRecord", id);
  const found = read();
  // Without this, an error would end the process if the caller is rejected.
  found.catch(() => {});
  return { tenantId: caller.tenantId, id, found };
}

/**
 * Returns whether a stored fingerprint, `VERSION:HASH`, is that of a request. `false` if the version isn't known.
 * @param versions the fingerprint of each version; a test passes its own
 */
export function isSameRequest(stored: string, request: RequestIdentity, versions = fingerprints): boolean {
  const version = stored.slice(0, stored.indexOf(":"));
  return Object.hasOwn(versions, version) && stored === `${version}:${versions[version]?.(request)}`;
}

/** Returns the stored response if the key was used for the same request and the response is still valid. */
export function findReplay(
  record: IdempotencyRecord | undefined,
  { request }: IdempotentRequest,
  now: number,
): StoredResponse | undefined {
  if (record === undefined || isExpired(record, now)) return undefined;
  return isSameRequest(record.fingerprint, request) ? record : undefined;
}

/** @throws ApiError `422 idempotency_key_reused` if the key was used for a different request */
export function assertKeyUnused(record: IdempotencyRecord | undefined, now: number): void {
  if (record === undefined || isExpired(record, now)) return;
  const { path, createdAt } = record;
  const usedAt = formatDateTime(createdAt);
  const message = `This Idempotency-Key was already used for POST ${path} at ${usedAt}. Use a new key.`;
  throw new ApiError("idempotency_key_reused", message, { details: { method: "POST", path, usedAt } });
}

/** Returns the write that stores a response. It replaces `expired`, if there is one. */
export function storeResponseWrite(
  { id, integrationId, request }: IdempotentRequest,
  { status, body, location }: StoredResponse,
  at: number,
  now: number,
  expired: IdempotencyRecord | undefined,
): Write {
  const fingerprint = `${fingerprintVersion}:${fingerprints[fingerprintVersion]?.(request)}`;
  const response = { path: request.path, status, body, location };
  const record = { id, integrationId, fingerprint, ...response, createdAt: now, updatedAt: at, archivedAt: null };
  if (expired === undefined) return { op: "insert", kind: "idempotencyRecord", record };
  return { op: "update", kind: "idempotencyRecord", record, expectedUpdatedAt: expired.updatedAt };
}

function isExpired(record: IdempotencyRecord, now: number): boolean {
  return record.createdAt + idempotencyWindowMs <= now;
}
