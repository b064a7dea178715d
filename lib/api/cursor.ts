import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { ApiError } from "../model/errors.ts";
import { isUuid } from "../model/scalars.ts";
import { formatDateTime } from "../model/time.ts";
import type { Position } from "../storage/storage.ts";

/** What a cursor continues: the place reached, and the filters of the walk as their parameters were written. */
export type CursorPayload = { readonly position: Position; readonly filters: Readonly<Record<string, string>> };

/** What a cursor is good for, besides its own contents. */
export type CursorScope = {
  readonly tenantId: string;
  readonly endpoint: string;
  readonly filterNames: readonly string[];
};

const version = 1;
const macBytes = 16;
/** The limit that the interface promises, in characters. */
export const maxCursorLength = 256;

/** How filters are written, one way after the other until they fit: times in six bytes, texts longer than this as a hash. */
const encodings = [
  { textMax: Number.POSITIVE_INFINITY },
  { textMax: Number.POSITIVE_INFINITY, shortTimes: true },
  { textMax: 30, shortTimes: true },
  { textMax: 14, shortTimes: true },
];

/**
 * Signs the place and filters of a walk, together with the tenant and endpoint they belong to. Only filters whose
 * names the endpoint has are kept; of long texts that would not fit a hash is kept, and `omittedFilters` names them: they must be
 * sent with the cursor.
 */
export function encodeCursor(
  secret: Uint8Array,
  scope: CursorScope,
  walk: CursorPayload,
): { readonly cursor: string; readonly omittedFilters: readonly string[] } {
  const payloadMax = (maxCursorLength / 4) * 3 - macBytes;
  for (const way of encodings) {
    const { payload, omittedFilters } = pack(scope, walk, way);
    if (payload.length > payloadMax) continue;
    return { cursor: Buffer.concat([mac(secret, scope, payload), payload]).toString("base64url"), omittedFilters };
  }
  throw new RangeError(`the filters of ${scope.endpoint} do not fit into a cursor`);
}

/**
 * The walk that a cursor continues, its filters joined with those sent now.
 * @throws ApiError `400 invalid_cursor` where it is malformed, altered, or of another tenant, endpoint or filter
 */
export function decodeCursor(
  secret: Uint8Array,
  scope: CursorScope,
  cursor: string,
  sent: CursorPayload["filters"],
): CursorPayload {
  const bytes = Buffer.from(cursor, "base64url");
  const canonical = cursor.length <= maxCursorLength && bytes.toString("base64url") === cursor;
  const payload = bytes.subarray(macBytes);
  if (
    !canonical ||
    payload.length < 1 + 6 + 16 ||
    !timingSafeEqual(bytes.subarray(0, macBytes), mac(secret, scope, payload))
  ) {
    throw new ApiError(
      "invalid_cursor",
      "The cursor is not one that this list gave out. Start again without a cursor.",
    );
  }
  const { position, filters, hashes } = unpack(scope, payload);
  for (const [name, hash] of Object.entries(hashes)) {
    if (sent[name] === undefined) throw otherFilter(name, "is needed with this cursor; send it as on the first page");
    if (!shortHash(sent[name]).equals(hash)) throw otherFilter(name, "differs from the one this cursor was made with");
  }
  for (const [name, value] of Object.entries(sent)) {
    if (hashes[name] === undefined && filters[name] !== value) {
      throw otherFilter(name, "differs from the one this cursor was made with");
    }
  }
  return { position, filters: { ...filters, ...sent } };
}

function otherFilter(name: string, what: string): ApiError {
  const message = `The filter ${name} ${what}. Filters stay the same while walking the pages.`;
  return new ApiError("invalid_cursor", message, { details: { parameter: name } });
}

function mac(secret: Uint8Array, scope: CursorScope, payload: Uint8Array): Buffer {
  const hmac = createHmac("sha256", keyOf(secret)).update(`${scope.tenantId}\n${scope.endpoint}\n`).update(payload);
  return hmac.digest().subarray(0, macBytes);
}

const keys = new WeakMap<Uint8Array, KeyObject>();

/** Made once: to make it takes longer than the signature. */
function keyOf(secret: Uint8Array): KeyObject {
  const key = keys.get(secret) ?? createSecretKey(secret);
  keys.set(secret, key);
  return key;
}

/** version, updatedAt (6 bytes), id (16 bytes), then per filter: its number, its form and its value. */
function pack(
  scope: CursorScope,
  { position, filters }: CursorPayload,
  { textMax, shortTimes = false }: (typeof encodings)[number],
): { payload: Buffer; omittedFilters: readonly string[] } {
  const head = Buffer.alloc(23);
  head.writeUInt8(version, 0);
  head.writeUIntBE(position.updatedAt, 1, 6);
  uuidBytes(position.id).copy(head, 7);
  const parts: Buffer[] = [head];
  const omittedFilters: string[] = [];
  for (const [index, name] of scope.filterNames.entries()) {
    const value = filters[name];
    if (value === undefined) continue;
    const bytes = Buffer.from(value);
    const time = shortTimes ? timeBytes(value) : undefined;
    if (isUuid(value) && value === value.toLowerCase()) parts.push(Buffer.of(index, 0), uuidBytes(value));
    else if (time !== undefined) parts.push(Buffer.of(index, 3), time);
    else if (bytes.length > textMax) {
      parts.push(Buffer.of(index, 1), shortHash(value));
      omittedFilters.push(name);
    } else parts.push(Buffer.of(index, 2, bytes.length >> 8, bytes.length & 255), bytes);
  }
  return { payload: parts.length === 1 ? head : Buffer.concat(parts), omittedFilters };
}

/** Only bytes whose signature is ours come here, so they are well-formed. */
function unpack(
  scope: CursorScope,
  payload: Buffer,
): CursorPayload & { readonly hashes: Readonly<Record<string, Buffer>> } {
  const position = { updatedAt: payload.readUIntBE(1, 6), id: uuidText(payload.subarray(7, 23)) };
  const filters: Record<string, string> = {};
  const hashes: Record<string, Buffer> = {};
  for (let at = 23; at < payload.length; ) {
    const name = scope.filterNames[payload[at] ?? 0] ?? "";
    const form = payload[at + 1];
    const start = form === 2 ? at + 4 : at + 2;
    const end = start + (form === 2 ? payload.readUInt16BE(at + 2) : form === 3 ? 6 : 16);
    const bytes = payload.subarray(start, end);
    if (form === 1) hashes[name] = bytes;
    else if (form === 3) filters[name] = formatDateTime(bytes.readUIntBE(0, 6)) ?? "";
    else filters[name] = form === 0 ? uuidText(bytes) : bytes.toString();
    at = end;
  }
  return { position, filters, hashes };
}

/** A time since 1970 as we write it; undefined of any other text. */
function timeBytes(value: string): Buffer | undefined {
  const time = Date.parse(value);
  if (!(time >= 0 && time < 2 ** 48) || formatDateTime(time) !== value) return undefined;
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(time, 0, 6);
  return bytes;
}

function shortHash(value: string): Buffer {
  return createHmac("sha256", "filter").update(value).digest().subarray(0, 16);
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
