import { ApiError } from "../model/errors.ts";
import type { IdempotencyRecord } from "../model/integration.ts";
import { models } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { displayName, withArticle } from "../model/names.ts";
import { RawJson } from "../model/record-json.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";
import { overlayStorage } from "../storage/overlay.ts";
import { type HandlerStorage, StorageUnavailable, type Write, WriteConflict } from "../storage/storage.ts";
import type { ApiCounts } from "./api-counts.ts";
import { etagOfBody, isNotModified } from "./conditional-requests.ts";
import type {
  Caller,
  Endpoint,
  EndpointCall,
  HandlerContext,
  HandlerResult,
  Proposal,
  SharedContext,
} from "./endpoint.ts";
import {
  assertBody,
  assertScope,
  assertTenantIds,
  type EndpointRequest,
  parseValidRequest,
  toIdempotentRequest,
} from "./endpoint-request.ts";
import { type EventInsert, eventsOf } from "./events.ts";
import {
  assertKeyUnused,
  findReplay,
  type IdempotentRequest,
  type StoredResponse,
  storeResponseWrite,
} from "./idempotency.ts";
import { isDryRun } from "./preferences.ts";

type OnCommitted = (writes: readonly Write[], caller: Caller, events: readonly EventInsert[]) => void;

/** The response of an endpoint, over HTTP or in process. `body` is JSON text, or null if there is none. */
export type EndpointResponse = StoredResponse & {
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** The dependencies of `runEndpoint`. Handlers get only the context. */
export type Runtime = {
  readonly storage: CachedStorage;
  readonly context: SharedContext;
  /** Called with the writes of a caller's commit and with their events after they are durable. Must not throw. */
  readonly onCommitted: OnCommitted | undefined;
  readonly counts: Pick<ApiCounts, "commitConflicts">;
};

/** One attempt to handle a request. Its commit is stale if the settings that it read have changed. */
type Attempt = Pick<Runtime, "onCommitted"> & {
  readonly context: HandlerContext & { readonly storage: HandlerStorage };
};

/** Retry limit. In each round at least one competing write succeeds. */
const maxAttempts = 200;

/**
 * Runs one endpoint call: scope, tenant, replay, validation, handler, commit. No other function writes for a caller.
 * Runs the handler again if its reads are stale. The handler's writes and the idempotency record commit together or not
 * at all.
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
  const response = await runRequest({ ...runtime, onCommitted: undefined }, endpoint, request, overlayStorage);
  const { ETag: _, ...headers } = response.headers;
  return { ...response, location: null, headers: { ...headers, "Preference-Applied": "dry-run" } };
}

/** Runs a request that the caller may make. `wrap` wraps the storage of each attempt. */
async function runRequest(
  runtime: Runtime,
  endpoint: Endpoint,
  request: EndpointRequest,
  wrap?: (storage: HandlerStorage) => HandlerStorage,
): Promise<EndpointResponse> {
  const { clock } = runtime.context;
  const idempotent = toIdempotentRequest(endpoint, request);
  const { caller, recordRead } = request;
  const findStored = async () =>
    idempotent && (await runtime.storage.get(caller.tenantId, "idempotencyRecord", idempotent.id));
  // The caller can be another one than was expected.
  const isRead = recordRead?.tenantId === caller.tenantId && recordRead.id === idempotent?.id;
  let call: EndpointCall | undefined;
  let conflict: WriteConflict | undefined;
  for (let count = 0; count < maxAttempts; count++) {
    const stored = await (isRead && count === 0 ? recordRead.found : findStored());
    const replay = idempotent && findReplay(stored, idempotent, clock.now());
    if (replay !== undefined) return withETag(endpoint, request, { ...replay, replayed: true, headers: {} });
    const attempt = openAttempt(runtime, count === 0 ? request.settingsVersion : undefined, wrap);
    call ??= await parseValidRequest(endpoint, request, attempt.context);
    assertKeyUnused(stored, clock.now());
    try {
      const result = await endpoint.handle(call as never, attempt.context);
      return withETag(endpoint, request, await commitResult(attempt, request, result, idempotent, stored));
    } catch (error) {
      const last = conflict;
      conflict = error instanceof WriteConflict ? error : undefined;
      if (conflict !== undefined && isRetryable(endpoint, conflict, last)) {
        runtime.counts.commitConflicts[conflict.reason]++;
        continue;
      }
      const apiError = toDuplicateError(error) ?? error;
      // The same request may have been committed first. Then its stored response is the response, not an error.
      const latest = apiError instanceof ApiError ? await findStored() : undefined;
      if (latest === undefined || latest.updatedAt === stored?.updatedAt) throw apiError;
    }
  }
  throw new StorageUnavailable(`${endpoint.name}: too many write conflicts.`);
}

function openAttempt(
  { storage, context, onCommitted }: Runtime,
  settingsVersion: number | undefined,
  wrap?: (storage: HandlerStorage) => HandlerStorage,
): Attempt {
  const opened = storage.openAttempt(settingsVersion);
  const expectNone: HandlerContext["expectNone"] = (none) => opened.expectNone(none);
  return { context: { ...context, storage: wrap?.(opened) ?? opened, expectNone }, onCommitted };
}

/**
 * Commits the writes of a handler with their events and the idempotency record. Returns the response once all are
 * durable.
 */
async function commitResult(
  { context, onCommitted }: Attempt,
  { caller, requestId, beforeCommit }: EndpointRequest,
  result: HandlerResult | Proposal,
  idempotent: IdempotentRequest | undefined,
  expired: IdempotencyRecord | undefined,
): Promise<EndpointResponse> {
  if (typeof result !== "function" && idempotent === undefined) return toResponse(result);
  if (beforeCommit !== undefined) await beforeCommit();
  const now = context.clock.now();
  let response: EndpointResponse | undefined;
  let writes: readonly Write[] = [];
  let events: readonly EventInsert[] = [];
  await context.storage.commit(caller.tenantId, now, (at) => {
    const proposed = typeof result === "function" ? result(at, now) : { ...result, writes: [] };
    response = toResponse(proposed);
    writes = proposed.writes;
    events = eventsOf(writes, caller, requestId ?? null, at, now);
    const logged = [...writes, ...events];
    if (idempotent === undefined) return logged;
    const stored = toResponse(
      proposed.replayBody === undefined ? proposed : { ...proposed, body: proposed.replayBody },
    );
    return [...logged, storeResponseWrite(idempotent, stored, at, now, expired)];
  });
  if (response === undefined) throw new Error("commit returned without calling propose");
  if (writes.length > 0) onCommitted?.(writes, caller, events);
  return response;
}

function toResponse({ status, body, location, headers }: HandlerResult): EndpointResponse {
  const text = body === undefined ? null : body instanceof RawJson ? body.text : JSON.stringify(body);
  return { status, body: text, location: location ?? null, replayed: false, headers: headers ?? {} };
}

/**
 * Adds the ETag of the record in the body, unless the handler has set one. Returns 304 if the caller has this version
 * already.
 */
function withETag(endpoint: Endpoint, { ifNoneMatch }: EndpointRequest, response: EndpointResponse): EndpointResponse {
  if (endpoint.hasETag === undefined || response.body === null) return response;
  const etag = response.headers.ETag ?? etagOfBody(response.body);
  const headers = { ...response.headers, ETag: etag };
  if (endpoint.method !== "GET" || !isNotModified(ifNoneMatch, etag)) return { ...response, headers };
  return { ...response, status: 304, body: null, headers };
}

/**
 * Whether the handler's reads are outdated, or another request has inserted the same ID. Running the handler again may
 * succeed.
 */
function isRetryable(endpoint: Endpoint, conflict: WriteConflict, last: WriteConflict | undefined): boolean {
  return conflict.reason === "stale" || conflict.field === "id" || endpoint.isRetryable?.(conflict, last) === true;
}

/** Returns `409 duplicate` for a write whose unique value another record has. */
export function toDuplicateError(error: unknown): ApiError | undefined {
  if (!(error instanceof WriteConflict) || error.reason !== "duplicate") return undefined;
  const { kind, field, id } = error;
  const { uniqueWithin } = (models[kind] as Model).fields[field] ?? {};
  const scope = uniqueWithin === undefined ? "" : ` in the same ${uniqueWithin.replace(/Id$/, "")}`;
  const message = `There is already ${withArticle(displayName(kind))} with this ${field}${scope}.`;
  return new ApiError("duplicate", message, { details: { existingId: id, field } });
}
