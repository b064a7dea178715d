import type { Caller } from "../api/endpoint.ts";
import type { RateLimitResult } from "../auth/rate-limiter.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { ApiKeyWithScopes } from "../storage/storage.ts";

/** Describes one request for logs and metrics. Contains nothing from the request or response body. */
export type RequestSummary = {
  /** The `X-Request-Id` of the response. The client may have chosen it. */
  readonly requestId: string;
  /** The name of the operation, such as `listTasks`. Null for docs pages and unknown paths. */
  readonly operation: string | null;
  readonly status: number;
  /** The error code. Null if the request succeeded. */
  readonly code: ErrorCode | null;
  /** Time from receiving the request to creating its response, including the upload of its body. */
  readonly durationMs: number;
  /** Whether the response is a replay for an Idempotency-Key. */
  readonly replayed: boolean;
  /** Null if authentication failed, as are the next three. */
  readonly tenantId: string | null;
  readonly integrationId: string | null;
  readonly keyId: string | null;
  /** The admin, or the user that the host's `authenticate` returned. */
  readonly userId: string | null;
};

/** Collects the parts of a `RequestSummary` while the request is handled. */
export type RequestTrace = {
  readonly startedAt: number;
  readonly requestId: string;
  operation: string | null;
  caller: Caller | undefined;
  apiKey: ApiKeyWithScopes | undefined;
  rate: RateLimitResult | undefined;
  code: ErrorCode | null;
  replayed: boolean;
};

export function startTrace(requestId: string, startedAt: number): RequestTrace {
  const unknown = { operation: null, caller: undefined, apiKey: undefined, rate: undefined, code: null };
  return { startedAt, requestId, ...unknown, replayed: false };
}

export function toRequestSummary(trace: RequestTrace, status: number, endedAt: number): RequestSummary {
  const { startedAt, caller, apiKey: _key, rate: _rate, ...rest } = trace;
  const { tenantId = null, integrationId = null, keyId = null, userId = null } = caller ?? {};
  return { ...rest, status, durationMs: endedAt - startedAt, tenantId, integrationId, keyId, userId };
}
