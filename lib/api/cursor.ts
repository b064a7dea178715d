import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { ApiError } from "../model/errors.ts";
import type { Position } from "../storage/storage.ts";

type FilterTexts = Readonly<Record<string, string>>;

/** The position that a cursor continues from, the filters of its list as query parameters, and its page size. */
export type CursorPayload = {
  readonly position: Position;
  readonly filters: FilterTexts;
  /** Undefined in cursors of earlier versions. */
  readonly limit: number | undefined;
};

/** The tenant and the endpoint that a cursor is valid for. */
export type CursorScope = { readonly tenantId: string; readonly endpoint: string };

/** Maximum length of a cursor in characters. */
export const maxCursorLength = 1024;
/** Longer filter values, in bytes of JSON, are stored as hashes. All filters of a list then fit into a cursor. */
const maxFilterBytes = 200;
const macBytes = 32;

/**
 * Returns the base64url of an HMAC and a JSON payload. `omittedFilters` are the filters that the cursor has only as
 * hashes. A request must send them along with the cursor.
 */
export function encodeCursor(
  secret: KeyObject,
  scope: CursorScope,
  { position, filters, limit }: CursorPayload,
): { readonly cursor: string; readonly omittedFilters: readonly string[] } {
  const isLong = ([, value]: [string, string]) => Buffer.byteLength(JSON.stringify(value)) > maxFilterBytes;
  const entries = Object.entries(filters);
  const long = entries.filter(isLong);
  const stored = Object.fromEntries(entries.filter((entry) => !isLong(entry)));
  const hashes = Object.fromEntries(long.map(([name, value]) => [name, hashOf(value)]));
  const payload = Buffer.from(JSON.stringify([position.updatedAt, position.id, stored, hashes, limit]));
  const cursor = Buffer.concat([sign(secret, scope, payload), payload]).toString("base64url");
  return { cursor, omittedFilters: long.map(([name]) => name) };
}

/**
 * Returns the position and the filters of a cursor, together with the filters of the request.
 * @throws ApiError `400 invalid_cursor` if it was tampered with or belongs to another tenant, endpoint or filter
 */
export function decodeCursor(
  secret: KeyObject,
  scope: CursorScope,
  cursor: string,
  requestFilters: FilterTexts,
): CursorPayload {
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(macBytes);
  const isCanonical = cursor.length <= maxCursorLength && bytes.toString("base64url") === cursor;
  if (!isCanonical || !isSigned(secret, scope, payload, bytes.subarray(0, macBytes)))
    throw new ApiError("invalid_cursor", "Invalid cursor. Restart without a cursor.");
  // Only payloads that this server has signed get here, so they are well-formed.
  const [updatedAt, id, filters, hashes, limit] = JSON.parse(payload.toString()) as Payload;
  for (const name in hashes)
    if (requestFilters[name] === undefined)
      throw filterError(name, "is required with this cursor. Send it as on the first page.");
  for (const [name, value] of Object.entries(requestFilters))
    if (hashes[name] === undefined ? filters[name] !== value : hashes[name] !== hashOf(value))
      throw filterError(name, "doesn't match the cursor. Keep all filters unchanged between pages.");
  return { position: { updatedAt, id }, filters: { ...filters, ...requestFilters }, limit };
}

type Payload = [updatedAt: number, id: string, filters: FilterTexts, hashes: FilterTexts, limit?: number];

function filterError(name: string, problem: string): ApiError {
  return new ApiError("invalid_cursor", `The filter ${name} ${problem}`, { details: { parameter: name } });
}

function sign(secret: KeyObject, { tenantId, endpoint }: CursorScope, payload: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${tenantId}\n${endpoint}\n`).update(payload).digest();
}

function isSigned(secret: KeyObject, scope: CursorScope, payload: Uint8Array, mac: Uint8Array): boolean {
  return mac.length === macBytes && timingSafeEqual(mac, sign(secret, scope, payload));
}

function hashOf(value: string): string {
  return hash("sha256", value, "base64url");
}
