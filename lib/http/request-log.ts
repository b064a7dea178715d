import type { Caller, Endpoint } from "../api/endpoint.ts";
import { isDryRun } from "../api/preferences.ts";
import type { RateLimitResult } from "../auth/rate-limiter.ts";
import type { ApiError, ErrorCode } from "../model/errors.ts";
import { isUuid } from "../model/scalars.ts";
import type { RequestSource } from "../storage/request-log.ts";
import type { ApiKeyWithScopes, Write } from "../storage/storage.ts";
import type { HttpResponse } from "./http-response.ts";
import { clientAddress, type HeaderReader, type RequestEnv } from "./request-env.ts";
import { hideApiKeys, problemOf, problemOfBatch } from "./request-problem.ts";
import type { RequestRecorder } from "./request-recorder.ts";

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

export function toRequestSummary(trace: RequestTrace, ended: EndedRequest): RequestSummary {
  const { requestId, endpoint, caller, replayed, error } = trace;
  const { method, url, source, response, durationMs, header, env } = ended;
  const { tenantId = null, integrationId = null, keyId = null, userId = null } = caller ?? {};
  return {
    requestId,
    method,
    route: endpoint?.path ?? null,
    path: endpoint === undefined ? null : pathOf(endpoint, trace.params, url),
    operation: endpoint?.name ?? null,
    status: response.status,
    code: error?.code ?? null,
    durationMs,
    replayed,
    dryRun: endpoint !== undefined && isDryRun(endpoint, { prefer: header("prefer") }),
    source,
    tenantId,
    integrationId,
    keyId,
    userId,
    traceId: parseTraceId(header("traceparent")),
    remoteAddress: clientAddress(env),
  };
}

/**
 * Records a request whose tenant is known. Failures, writes and requests of admins are logged individually. Successful reads
 * of integrations and of the console are only counted, because a long sync would remove everything else from the log.
 * @param now milliseconds since 1970
 */
export function recordRequest(recorder: RequestRecorder, trace: RequestTrace, ended: EndedRequest, now: number): void {
  const { endpoint, error, writes, body } = trace;
  const { status, body: responseBody } = ended.response;
  const owner = trace.caller ?? (status === 401 ? trace.rejectedKey : undefined);
  if (endpoint === undefined || owner === undefined) return;
  const at = Math.round(now - ended.durationMs);
  const { tenantId, integrationId } = owner;
  // Screens of the console read the same again and again.
  const isLoggedRead = endpoint.access === "admin" && ended.source === "http";
  if (status < 400 && endpoint.method === "GET" && !isLoggedRead) {
    const { durationMs } = ended;
    recorder.count({ tenantId, integrationId, operation: endpoint.name, code: null, at, status, durationMs });
    return;
  }
  const { route: _route, remoteAddress: _address, path, ...summary } = toRequestSummary(trace, ended);
  const isBatchWithFailures = status === 207 && typeof responseBody === "string";
  const keyId = trace.caller === undefined ? (trace.rejectedKey?.id ?? null) : summary.keyId;
  const problem =
    error !== undefined
      ? problemOf(error, trace.caller !== undefined, body)
      : isBatchWithFailures
        ? problemOfBatch(responseBody, body)
        : null;
  const changes = { count: writes.length, ids: writes.slice(0, maxChangeIds).map(({ record }) => record.id) };
  recorder.add({
    ...summary,
    at,
    tenantId,
    integrationId,
    keyId,
    operation: endpoint.name,
    path: path ?? "",
    changes,
    problem,
  });
}

/** Number of written records whose IDs an entry has. */
const maxChangeIds = 20;
const maxNames = 20;
const maxNameLength = 100;

/** Returns the path of a request without values: IDs replace the parameters, and query parameters have only their names. */
function pathOf({ path: route }: Endpoint, { id }: RequestTrace["params"], url: string): string {
  const path = id !== undefined && isUuid(id) ? route.replace(":id", id.toLowerCase()) : route;
  const start = url.indexOf("?") + 1;
  const hash = url.indexOf("#", start);
  const search = start === 0 ? "" : url.slice(start, hash === -1 ? undefined : hash);
  return search === "" ? path : `${path}?${search.split("&", maxNames).map(nameOf).join("&")}`;
}

/** Returns the name in a part of a query string, such as `limit` for `limit=50`. */
function nameOf(part: string): string {
  const end = part.indexOf("=");
  return hideApiKeys(part.slice(0, Math.min(end === -1 ? part.length : end, maxNameLength)));
}

const traceparent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** Returns the trace ID in a `traceparent` header, or null if the header is missing or invalid (W3C Trace Context). */
export function parseTraceId(header: string | null): string | null {
  if (header === null) return null;
  const [, version, traceId = null, rest] = traceparent.exec(header.trim()) ?? [];
  // Later versions can have more fields.
  return version === "00" && rest !== undefined ? null : traceId;
}
