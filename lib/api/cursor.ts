import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { ApiError } from "../model/errors.ts";

type FilterTexts = Readonly<Record<string, string>>;

/** The sort key and the ID of a record. */
export type CursorPosition = { readonly key: string | number; readonly id: string };

/**
 * The position that a cursor continues from, the filters and the order of its list as query parameters, and its page
 * size.
 */
export type CursorPayload = {
  readonly position: CursorPosition;
  readonly filters: FilterTexts;
  readonly limit: number;
};

/** The tenant and the endpoint that a cursor is valid for. */
export type CursorScope = { readonly tenantId: string; readonly endpoint: string };

/** Maximum length of a cursor in characters. One with more than 1,024 has a name as its sort key. */
export const maxCursorLength = 1_536;
const macBytes = 32;
/** Maximum size of the JSON payload in bytes, without a sort key that is a text. Filters with 600 bytes of JSON fit. */
const maxPayloadBytes = (1_024 / 4) * 3 - macBytes;
/** The version of the payload. Increase it with each change of its format. */
const cursorVersion = 1;

/**
 * Returns the base64url of an HMAC and a JSON payload. `omittedFilters` are the filters that the cursor has only as
 * hashes, because all of them together don't fit. A request must send them along with the cursor.
 */
export function encodeCursor(
  secret: KeyObject,
  scope: CursorScope,
  { position, filters, limit }: CursorPayload,
): { readonly cursor: string; readonly omittedFilters: readonly string[] } {
  const stored: Record<string, string> = { ...filters };
  const hashes: Record<string, string> = {};
  const toPayload = () =>
    Buffer.from(JSON.stringify([cursorVersion, position.key, position.id, stored, hashes, limit]));
  const keyBytes = typeof position.key === "string" ? Buffer.byteLength(JSON.stringify(position.key)) : 0;
  const maxBytes = maxPayloadBytes + keyBytes;
  let payload = toPayload();
  for (const name of payload.length > maxBytes ? longestFirst(filters) : []) {
    hashes[name] = hashOf(filters[name] as string);
    delete stored[name];
    payload = toPayload();
    if (payload.length <= maxBytes) break;
  }
  const cursor = Buffer.concat([sign(secret, scope, payload), payload]).toString("base64url");
  return { cursor, omittedFilters: Object.keys(hashes) };
}

/** Returns the names of filters, those with the longest values first. */
function longestFirst(filters: FilterTexts): readonly string[] {
  const entries = Object.entries(filters).map(
    ([name, value]) => [name, Buffer.byteLength(JSON.stringify(value))] as const,
  );
  return entries.sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/**
 * Returns the position and the filters of a cursor, together with the filters of the request.
 * @throws ApiError `400 invalid_cursor` if it was tampered with, or belongs to another tenant, endpoint, filter or
 * version
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
  const content = JSON.parse(payload.toString()) as Payload;
  if (content[0] !== cursorVersion)
    throw new ApiError("invalid_cursor", "The cursor is from another version of the server. Restart without a cursor.");
  const [, key, id, filters, hashes, limit] = content;
  for (const name in hashes)
    if (requestFilters[name] === undefined)
      throw filterError(name, "is required with this cursor. Send it as on the first page.");
  for (const [name, value] of Object.entries(requestFilters))
    if (hashes[name] === undefined ? filters[name] !== value : hashes[name] !== hashOf(value))
      throw filterError(name, mismatch);
  return { position: { key, id }, filters: { ...filters, ...requestFilters }, limit };
}

export const mismatch = "doesn't match the cursor. Keep all filters unchanged between pages.";

type Payload = [
  version: number,
  key: string | number,
  id: string,
  filters: FilterTexts,
  hashes: FilterTexts,
  limit: number,
];

/** Returns the error of a filter that the cursor doesn't have. */
export function filterError(name: string, problem: string): ApiError {
  return new ApiError("invalid_cursor", `The ${name === "order" ? "parameter" : "filter"} ${name} ${problem}`, {
    details: { parameter: name },
  });
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
