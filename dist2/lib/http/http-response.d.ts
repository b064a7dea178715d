import { ApiError } from "../errors.ts";
import type { LimitState } from "../limits.ts";
/** A response in plain data. Header names are in lower case. */
export type HttpResponse = {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer> | null;
};
/** Returns the request ID that the client sent if it is valid, otherwise a new one. */
export declare function resolveRequestId(sent: unknown, newId: () => string): string;
/** Returns the headers that every response carries. */
export declare function commonHeaders(requestId: string): Record<string, string>;
/** Returns the documented error envelope for anything that was thrown. */
export declare function errorResponse(error: unknown, requestId: string, method?: string): HttpResponse & {
    readonly body: string;
};
/** Converts anything that was thrown to an `ApiError`. Server errors reveal neither their text nor their cause. */
export declare function toApiError(error: unknown, requestId: string, method?: string): ApiError;
/** Returns the rate limit headers. `X-RateLimit-Reset` is in Unix seconds, rounded up. */
export declare function rateLimitHeaders(state: LimitState, now: number): Record<string, string>;
/** Returns `429 rate_limited`. A request after `Retry-After` seconds succeeds. */
export declare function rateLimitError(state: LimitState, message: string): ApiError;
