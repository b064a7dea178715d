import { randomUUID } from "node:crypto";
import { ApiError } from "../errors.ts";
import type { LimitState } from "../limits.ts";
import { StorageUnavailable } from "../storage.ts";

/** An answer before it is a Response: the parser's own errors never become one. */
export type HttpAnswer = {
  readonly status: number;
  /** Their names in lower case, each once. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
};

const requestIdForm = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id of a request: the caller's own where it is one that may be repeated, or a new one. */
export function requestIdOf(sent: string | string[] | null | undefined, newId: () => string): string {
  if (typeof sent === "string" && requestIdForm.test(sent)) return sent;
  try {
    const made = newId();
    if (requestIdForm.test(made)) return made;
  } catch {
    // A host's ids or clock that fail are told of by whatever needs them next; an answer needs an id before that.
  }
  return randomUUID();
}

/** What every answer carries, whatever became of the request. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { "x-request-id": requestId, "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** The documented envelope for whatever was thrown. @param method that of the request, if it is known */
export function errorAnswer(
  error: unknown,
  requestId: string,
  method = "POST",
): HttpAnswer & { readonly body: string } {
  const known = asApiError(error, requestId, method);
  const own = inLowerCase(known.headers);
  const headers = { ...commonHeaders(requestId), "content-type": "application/json", ...own };
  return { status: known.status, headers, body: JSON.stringify(known) };
}

/** Headers by the names that answers have them under. */
function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Faults of ours become `internal_error`; nothing of their text, stack or cause goes out. Only the message for a POST
 * mentions the Idempotency-Key, because other methods don't take one.
 */
export function asApiError(error: unknown, requestId: string, method = "POST"): ApiError {
  const details = { requestId };
  const withKey = method === "POST" ? " with the same Idempotency-Key" : "";
  if (error instanceof ApiError) {
    const { code, message, status, headers } = error;
    return status < 500 ? error : new ApiError(code, message, { status, details, headers, cause: error.cause });
  }
  if (error instanceof StorageUnavailable) {
    const message = `The service cannot do this just now. Try again${withKey}.`;
    return new ApiError("internal_error", message, { status: 503, details, headers: { "Retry-After": "1" } });
  }
  const message = `Something went wrong on our side. Retry${withKey}; if it stays, report the request id.`;
  return new ApiError("internal_error", message, { details });
}

/** Where the caller stands with the limit. `X-RateLimit-Reset` is in Unix seconds, rounded up. */
export function limitHeaders(state: LimitState, now: number): Record<string, string> {
  return {
    "x-ratelimit-limit": String(state.limit),
    "x-ratelimit-remaining": String(state.remaining),
    "x-ratelimit-reset": String(Math.ceil((now + state.resetMs) / 1000)),
  };
}

/** `429`, with the whole seconds after which a request is accepted again. */
export function rateLimited(state: LimitState, what: string): ApiError {
  const seconds = Math.max(1, Math.ceil(state.retryMs / 1000));
  const message = `${what}: ${state.limit} per minute are accepted. Try again in ${seconds} s.`;
  return new ApiError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}
