import { errorResponse, type HttpResponse, rateLimitError, rateLimitHeaders } from "../http/http-response.ts";
import type { ApiError } from "../model/errors.ts";
import { StorageUnavailable } from "../storage/storage.ts";

/** Where a test is told that it stands with its rate: it has not used any, or all of it. */
export type RateLimitInfo = {
  readonly limit: number;
  readonly now: number;
  readonly requestId: string;
  readonly method: string;
};

/** The answer of a service that is overloaded, broken or asked too often; it has done nothing. */
export function faultResponse(status: number, retryAfter: number, standing: RateLimitInfo): HttpResponse {
  const { limit, now, requestId, method } = standing;
  const spent = { accepted: false, limit, remaining: 0, resetMs: retryAfter * 1000, retryMs: retryAfter * 1000 };
  if (status === 429) {
    const answer = errorResponse(
      rateLimitError(spent, `Rate limit exceeded (${limit} requests per minute).`),
      requestId,
    );
    return withHeaders(answer, { ...rateLimitHeaders(spent, now), "retry-after": String(retryAfter) });
  }
  const limits = rateLimitHeaders({ ...spent, remaining: limit, resetMs: 0 }, now);
  if (status !== 503)
    return withHeaders(errorResponse(new Error("a fault that a test has planned"), requestId, method), limits);
  const answer = errorResponse(new StorageUnavailable("planned by a test"), requestId, method);
  return withHeaders(answer, { ...limits, "retry-after": String(retryAfter) });
}

/** The answer that a request has asked for itself. */
export function preferredResponse(error: ApiError, applied: string, standing: RateLimitInfo): HttpResponse {
  const { limit, now, requestId } = standing;
  const { status } = error;
  const preference = { "preference-applied": applied };
  if (status === 429 || status >= 500) return withHeaders(faultResponse(status, 1, standing), preference);
  const state = { accepted: true, limit, remaining: limit, resetMs: 0, retryMs: 0 };
  const isKnown = status !== 401 && status !== 413;
  return withHeaders(errorResponse(error, requestId), {
    ...(isKnown ? rateLimitHeaders(state, now) : {}),
    ...preference,
  });
}

function withHeaders(answer: HttpResponse, headers: Readonly<Record<string, string>>): HttpResponse {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
