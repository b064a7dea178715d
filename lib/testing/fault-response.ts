import { alreadySent } from "../http/app.ts";
import type { RequestEnv } from "../http/http-exchange.ts";
import { errorResponse, type HttpResponse, rateLimitError, rateLimitHeaders } from "../http/http-exchange.ts";
import type { ApiError } from "../model/errors.ts";
import { StorageUnavailable } from "../storage/storage.ts";

/** The request that a fault is for, and the limit for its rate limit headers. */
export type RateLimitInfo = {
  /** Requests per minute. */
  readonly limit: number;
  readonly now: number;
  readonly requestId: string;
  readonly method: string;
};

/** Returns the response of a server that is overloaded, broken or rate limited. @param retryAfter seconds */
export function faultResponse(status: number, retryAfter: number, info: RateLimitInfo): HttpResponse {
  const { limit, now, requestId, method } = info;
  const exhausted = { accepted: false, limit, remaining: 0, resetMs: retryAfter * 1000, retryMs: retryAfter * 1000 };
  if (status === 429) {
    const message = `Rate limit exceeded (${limit} requests per minute).`;
    const response = errorResponse(rateLimitError(exhausted, message), requestId);
    return withHeaders(response, { ...rateLimitHeaders(exhausted, now), "retry-after": String(retryAfter) });
  }
  const limits = rateLimitHeaders({ ...exhausted, remaining: limit, resetMs: 0 }, now);
  if (status !== 503) return withHeaders(errorResponse(new Error("injected fault"), requestId, method), limits);
  const response = errorResponse(new StorageUnavailable("injected fault"), requestId, method);
  return withHeaders(response, { ...limits, "retry-after": String(retryAfter) });
}

/** Returns the response that a request has selected with `Prefer`. */
export function preferredResponse(error: ApiError, applied: string, info: RateLimitInfo): HttpResponse {
  const { limit, now, requestId } = info;
  const { status } = error;
  const preference = { "preference-applied": applied };
  if (status === 429 || status >= 500) return withHeaders(faultResponse(status, 1, info), preference);
  const unused = { accepted: true, limit, remaining: limit, resetMs: 0, retryMs: 0 };
  // Like the API: these errors occur before the rate limit is checked.
  const limits = status === 401 || status === 413 ? {} : rateLimitHeaders(unused, now);
  return withHeaders(errorResponse(error, requestId), { ...limits, ...preference });
}

function withHeaders(response: HttpResponse, headers: Readonly<Record<string, string>>): HttpResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** Closes the connection. Without a connection, rejects like `fetch`. */
export function dropConnection({ incoming }: RequestEnv): Response {
  if (incoming !== undefined) {
    incoming.socket.destroy();
    return alreadySent;
  }
  const cause = Object.assign(new Error("An injected fault dropped the connection."), { code: "ECONNRESET" });
  throw new TypeError("fetch failed", { cause });
}
