import { ApiError } from "../model/errors.ts";
import type { IdempotencyRecord } from "../model/integration.ts";
import { models } from "../model/kinds.ts";
import { RawJson } from "../model/record-json.ts";
import { overlayStorage } from "../storage/overlay.ts";
import { type Storage, StorageUnavailable, type Write, WriteConflict } from "../storage/storage.ts";
import { etagOfBody, isNotModified } from "./conditional-requests.ts";
import type { Caller, Endpoint, EndpointCall, HandlerContext, HandlerResult, Proposal } from "./endpoint.ts";
import {
  assertBody,
  assertScope,
  assertTenantIds,
  type EndpointRequest,
  isDryRun,
  parseValidRequest,
  toIdempotentRequest,
} from "./endpoint-request.ts";
import {
  assertKeyUnused,
  findReplay,
  type IdempotentRequest,
  type StoredResponse,
  storeResponseWrite,
} from "./idempotency.ts";

/** The response of an endpoint, over HTTP or in process. `body` is JSON text, or null if there is none. */
export type EndpointResponse = StoredResponse & {
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** The dependencies of `runEndpoint`. Handlers get only the context. */
export type Runtime = {
  readonly storage: Storage;
  readonly context: HandlerContext;
  /** Called with the writes of a caller's commit after it is durable, without the idempotency record. Must not throw. */
  readonly onCommitted: ((writes: readonly Write[], caller: Caller) => void) | undefined;
};

/** The runtime of a request, or of a dry run. */
type RequestRuntime = Omit<Runtime, "storage"> & { readonly storage: Pick<Storage, "get" | "commit"> };

/** Retry limit. In each round at least one competing write succeeds. */
const maxAttempts = 200;

/**
 * Runs one endpoint call: scope, tenant, replay, validation, handler, commit. No other function writes for a caller.
 * Runs the handler again if its reads are stale. The handler's writes and the idempotency record commit together or not at all.
 * @throws ApiError for everything that the caller can correct
 * @throws StorageUnavailable if the storage can't commit, or after `maxAttempts` write conflicts
 */
export async function runEndpoint(
  runtime: Runtime,
  endpoint: Endpoint,
  request: EndpointRequest,
): Promise<EndpointResponse> {
  assertScope(endpoint, request);
  assertBody(endpoint, request);
  assertTenantIds(endpoint, request);
  if (!isDryRun(endpoint, request)) return runRequest(runtime, endpoint, request);
  const storage = overlayStorage(runtime.storage);
  const context = { ...runtime.context, storage };
  const response = await runRequest({ storage, context, onCommitted: undefined }, endpoint, request);
  const { ETag: _, ...headers } = response.headers;
  return { ...response, location: null, headers: { ...headers, "Preference-Applied": "dry-run" } };
}

/** Runs a request that the caller may make. */
async function runRequest(
  runtime: RequestRuntime,
  endpoint: Endpoint,
  request: EndpointRequest,
): Promise<EndpointResponse> {
  const { storage, context } = runtime;
  const idempotent = toIdempotentRequest(endpoint, request);
  const findStored = async () =>
    idempotent && (await storage.get(request.caller.tenantId, "idempotencyRecord", idempotent.id));
  let call: EndpointCall | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stored = await findStored();
    const replay = idempotent && findReplay(stored, idempotent, context.clock.now());
    if (replay !== undefined) return withETag(endpoint, request, { ...replay, replayed: true, headers: {} });
    call ??= await parseValidRequest(endpoint, request, context);
    assertKeyUnused(stored, context.clock.now());
    try {
      const result = await endpoint.handle(call as never, context);
      return withETag(endpoint, request, await commitResult(runtime, request.caller, result, idempotent, stored));
    } catch (error) {
      if (isRetryable(endpoint, call, error)) continue;
      const apiError = toDuplicateError(error) ?? error;
      // The same request may have been committed first. Then its stored response is the response, not an error.
      const latest = apiError instanceof ApiError ? await findStored() : undefined;
      if (latest === undefined || latest.updatedAt === stored?.updatedAt) throw apiError;
    }
  }
  throw new StorageUnavailable(`${endpoint.name}: too many write conflicts.`);
}

/** Commits the writes of a handler together with the idempotency record, and returns the response once both are durable. */
async function commitResult(
  { storage, context, onCommitted }: RequestRuntime,
  caller: Caller,
  result: HandlerResult | Proposal,
  idempotent: IdempotentRequest | undefined,
  expired: IdempotencyRecord | undefined,
): Promise<EndpointResponse> {
  if (typeof result !== "function" && idempotent === undefined) return toResponse(result);
  const now = context.clock.now();
  let response: EndpointResponse | undefined;
  let writes: readonly Write[] = [];
  await storage.commit(caller.tenantId, now, (at) => {
    const proposed = typeof result === "function" ? result(at, now) : { ...result, writes: [] };
    response = toResponse(proposed);
    writes = proposed.writes;
    if (idempotent === undefined) return writes;
    const stored = toResponse(
      proposed.replayBody === undefined ? proposed : { ...proposed, body: proposed.replayBody },
    );
    return [...writes, storeResponseWrite(idempotent, stored, at, now, expired)];
  });
  if (response === undefined) throw new Error("commit returned without calling propose");
  if (writes.length > 0) onCommitted?.(writes, caller);
  return response;
}

function toResponse({ status, body, location, headers }: HandlerResult): EndpointResponse {
  const text = body === undefined ? null : body instanceof RawJson ? body.text : JSON.stringify(body);
  return { status, body: text, location: location ?? null, replayed: false, headers: headers ?? {} };
}

/** Adds the ETag of the record in the body, unless the handler has set one. Returns 304 if the caller has this version already. */
function withETag(endpoint: Endpoint, { ifNoneMatch }: EndpointRequest, response: EndpointResponse): EndpointResponse {
  if (endpoint.hasETag === undefined || response.body === null) return response;
  const etag = response.headers.ETag ?? etagOfBody(response.body);
  const headers = { ...response.headers, ETag: etag };
  if (endpoint.method !== "GET" || !isNotModified(ifNoneMatch, etag)) return { ...response, headers };
  return { ...response, status: 304, body: null, headers };
}

/** Whether the handler's reads are outdated, or another request has inserted the same ID. Running the handler again may succeed. */
function isRetryable(endpoint: Endpoint, call: EndpointCall, error: unknown): boolean {
  if (!(error instanceof WriteConflict)) return false;
  return error.reason === "stale" || error.field === "id" || endpoint.isRetryable?.(error, call) === true;
}

/** Returns `409 duplicate` for a write whose unique value another record has. */
export function toDuplicateError(error: unknown): ApiError | undefined {
  if (!(error instanceof WriteConflict) || error.reason !== "duplicate") return undefined;
  const { kind, field, id } = error;
  const message = `There is already ${/^[aeio]/.test(kind) ? "an" : "a"} ${models[kind].kind} with this ${field}.`;
  return new ApiError("duplicate", message, { details: { existingId: id, field } });
}
