import type { ApiCounts } from "../api/api-counts.ts";
import type { Caller, Endpoint } from "../api/endpoint.ts";
import type { Runtime } from "../api/run-endpoint.ts";
import type { RateLimiter, RateLimitResult } from "../auth/rate-limiter.ts";
import type { ApiError, ErrorCode } from "../model/errors.ts";
import type { RequestSource } from "../storage/request-log.ts";
import type { ApiKeyWithScopes, Write } from "../storage/storage.ts";
import type { AuthDependencies } from "./authenticate-request.ts";
import type { HeaderReader, HttpResponse, RequestEnv } from "./http-exchange.ts";
import type { PendingWork, TenantQueue, UnsentBytes } from "./load-limits.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** The parts of an API that the app needs. */
export type HttpRuntime = Runtime &
  AuthDependencies & {
    readonly rateLimiter: RateLimiter;
    readonly requests: PendingWork;
    /** Work that responses don't wait for. */
    readonly background: PendingWork;
    /** Limits the requests that run at the same time. A request doesn't count while its body arrives. */
    readonly concurrency: PendingWork;
    readonly longRequests: TenantQueue;
    readonly pages: TenantQueue;
    readonly unsent: UnsentBytes;
    readonly waiting: WaitingRequests;
    /** Records that an API key was used. */
    readonly recordKeyUse: (key: ApiKeyWithScopes) => void;
    /** Logs a request that has ended. Must not throw. */
    readonly onEnd: (trace: RequestTrace, ended: EndedRequest) => void;
    readonly source: RequestSource;
    readonly counts: ApiCounts;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
  };

/** Returns a runtime that notes the writes of a request in its trace. */
export function withWrites(runtime: HttpRuntime, trace: RequestTrace): HttpRuntime {
  const onCommitted: HttpRuntime["onCommitted"] = (writes, caller, events) => {
    trace.writes = writes;
    runtime.onCommitted?.(writes, caller, events);
  };
  return { ...runtime, onCommitted };
}

/** Describes one request for logs and metrics. Contains no value from the request or response body. */
export type RequestSummary = {
  /** The `X-Request-Id` of the response. The client may have chosen it. */
  readonly requestId: string;
  readonly method: string;
  /** The path of the operation, such as `/contacts/:id`. Null for docs pages and unknown paths. */
  readonly route: string | null;
  /** The same with IDs and the names of the query parameters, such as `/contacts/0195…?includeArchived`. */
  readonly path: string | null;
  /** The name of the operation, such as `listTasks`. Null for docs pages and unknown paths. */
  readonly operation: string | null;
  readonly status: number;
  /** The error code. Null if the request succeeded. */
  readonly code: ErrorCode | null;
  /** Time from receiving the request to creating its response, including the upload of its body. */
  readonly durationMs: number;
  /** Whether the response is a replay for an Idempotency-Key. */
  readonly replayed: boolean;
  /** Whether the request ran without writing. */
  readonly dryRun: boolean;
  readonly source: RequestSource;
  /** Null if authentication failed, as are the next three. */
  readonly tenantId: string | null;
  readonly integrationId: string | null;
  readonly keyId: string | null;
  /** The admin, or the user that the host's `authenticate` returned. */
  readonly userId: string | null;
  /** The trace ID in a valid `traceparent` header. */
  readonly traceId: string | null;
  /** The address of the client. Null if the host doesn't pass it. */
  readonly remoteAddress: string | null;
};

/** Collects what is known about a request while it is handled. */
export type RequestTrace = {
  readonly startedAt: number;
  readonly requestId: string;
  endpoint: Endpoint | undefined;
  /** Parameters of the path. */
  params: Readonly<Record<string, string>>;
  caller: Caller | undefined;
  apiKey: ApiKeyWithScopes | undefined;
  /** The revoked or expired API key of the request. */
  rejectedKey: ApiKeyWithScopes | undefined;
  rate: RateLimitResult | undefined;
  error: ApiError | undefined;
  replayed: boolean;
  body: Readonly<Record<string, unknown>> | undefined;
  writes: readonly Write[];
};

export function startTrace(requestId: string, startedAt: number): RequestTrace {
  return {
    startedAt,
    requestId,
    endpoint: undefined,
    params: {},
    caller: undefined,
    apiKey: undefined,
    rejectedKey: undefined,
    rate: undefined,
    error: undefined,
    replayed: false,
    body: undefined,
    writes: [],
  };
}

/** A request with its response. */
export type EndedRequest = {
  readonly method: string;
  readonly url: string;
  readonly header: HeaderReader;
  readonly env: RequestEnv;
  readonly source: RequestSource;
  readonly response: HttpResponse;
  readonly durationMs: number;
};
