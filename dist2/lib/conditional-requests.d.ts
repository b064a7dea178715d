/** The value of an If-Match or If-None-Match header: `*`, or entity tags in double quotes, without `W/`. */
export type EntityTags = "*" | readonly string[];
/**
 * Returns the entity tags of a header. Undefined if the header is malformed.
 * A weak tag means the same as a strong one, because proxies that compress responses make tags weak.
 */
export declare function parseEntityTags(header: string): EntityTags | undefined;
/** Returns the ETag of the record in a response body: its `updatedAt` in double quotes. */
export declare function etagOfBody(body: string): string;
/** Whether a GET with this If-None-Match header returns 304. A malformed header matches nothing. */
export declare function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean;
/** @throws ApiError `412 conflict` if the record isn't a version in If-Match */
export declare function assertIfMatch(ifMatch: EntityTags | undefined, kind: string, updatedAt: number): void;
