import { formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";

/** The value of an If-Match or If-None-Match header: `*`, or entity tags in double quotes, without `W/`. */
export type EntityTags = "*" | readonly string[];

/**
 * Returns the entity tags of a header. Undefined if the header is malformed.
 * A weak tag means the same as a strong one, because proxies that compress responses make tags weak.
 */
export function parseEntityTags(header: string): EntityTags | undefined {
  if (header.trim() === "*") return "*";
  return tagList.test(header) ? header.match(/"[^"]*"/g)?.map(String) : undefined;
}

const tagList = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/;

/** Returns the ETag of the record in a response body: its `updatedAt` in double quotes. */
export function etagOfBody(body: string): string {
  // `updatedAt` follows the fields of the record, so that the last occurrence isn't a custom field.
  const start = body.lastIndexOf('"updatedAt":"') + '"updatedAt":'.length;
  return body.slice(start, body.indexOf('"', start + 1) + 1);
}

/** Whether a GET with this If-None-Match header returns 304. A malformed header matches nothing. */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = typeof ifNoneMatch === "string" ? parseEntityTags(ifNoneMatch) : undefined;
  return tags !== undefined && matches(tags, etag);
}

/** @throws ApiError `412 conflict` if the record isn't a version in If-Match */
export function assertIfMatch(ifMatch: EntityTags | undefined, kind: string, updatedAt: number): void {
  const version = formatDateTime(updatedAt);
  if (ifMatch === undefined || matches(ifMatch, `"${version}"`)) return;
  const message = `The ${kind} has changed since the version in If-Match. Read it again, then repeat the change.`;
  throw new ApiError("conflict", message, { status: 412, details: { reason: "stale", updatedAt: version } });
}

/**
 * Checks the `updatedAt` in a PATCH body, which identifies the version that the caller has read.
 * @throws ApiError `409 conflict` if the record has changed since then
 */
export function assertUpdatedAtMatches(sentUpdatedAt: unknown, kind: string, updatedAt: number): void {
  if (sentUpdatedAt === undefined || sentUpdatedAt === updatedAt) return;
  const message = `The ${kind} has changed since the updatedAt in the body. Read it again, then repeat the change.`;
  throw new ApiError("conflict", message, { details: { reason: "stale", updatedAt: formatDateTime(updatedAt) } });
}

function matches(tags: EntityTags, etag: string): boolean {
  return tags === "*" || tags.includes(etag);
}
