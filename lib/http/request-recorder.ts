import { randomUUID } from "node:crypto";
import { isDryRun } from "../api/preferences.ts";
import {
  addTotals,
  type CountedRequests,
  type CountQuery,
  type RequestEntry,
  type RequestLog,
  type RequestLogReader,
  type RequestQuery,
  totalsOf,
} from "../storage/request-log.ts";
import { StorageUnavailable } from "../storage/storage.ts";
import { clientAddress } from "./http-exchange.ts";
import type { EndedRequest, RequestSummary, RequestTrace } from "./http-runtime.ts";
import { loggedPath } from "./paths.ts";
import { problemOf, problemOfBatch } from "./request-problem.ts";

/** Time between two calls of `append`, and time that readers and `close` wait for one. */
const appendMs = 1_000;
/** Maximum number of entries that wait for `append`. */
const maxWaiting = 10_000;
const minuteMs = 60_000;

function toUnavailable(cause: unknown): never {
  throw new StorageUnavailable("The request log can't be read.", { cause });
}

/** Collects the requests that have ended and appends them to a request log, one batch at a time. Never throws. */
export class RequestRecorder implements RequestLogReader {
  readonly #log: RequestLog;
  readonly #onDropped: (count: number, error: unknown, isFirst: boolean) => void;
  /** Unique for this process, so that IDs of several servers differ. */
  readonly #idPrefix = randomUUID().slice(0, 8);
  #idCount = 0;
  #entries: RequestEntry[] = [];
  #counted = new Map<string, CountedRequests>();
  /** The minute of `#repeated`. */
  #minute = 0;
  readonly #repeated = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #appending: Promise<void> | undefined;
  #isDropping = false;

  /**
   * @param onDropped called with the number of entries that couldn't be stored. `error` is undefined if too many waited.
   * `isFirst` is true if the log worked before.
   */
  constructor(log: RequestLog, onDropped: (count: number, error: unknown, isFirst: boolean) => void) {
    this.#log = log;
    this.#onDropped = onDropped;
  }

  /**
   * Logs a request individually. Of the same 429 or 503 responses in a minute, only the first is logged, because a client
   * in a loop would remove everything else from the log.
   */
  add(entry: Omit<RequestEntry, "id">): void {
    if ((entry.status === 429 || entry.status === 503) && this.#isRepeated(entry)) this.count(entry);
    else if (this.#isFull()) this.#drop(1, undefined);
    else {
      this.#entries.push({ ...entry, id: this.#idPrefix + (this.#idCount++).toString(16).padStart(10, "0") });
      this.#schedule();
    }
  }

  /** Only counts a request. */
  count(
    request: Pick<RequestEntry, "tenantId" | "integrationId" | "operation" | "code" | "at" | "status" | "durationMs">,
  ): void {
    const { tenantId, integrationId, operation, code, at } = request;
    const minute = at - (at % minuteMs);
    const key = `${tenantId}${integrationId}${operation}${code}${minute}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined) this.#counted.set(key, addTotals(counted, totalsOf(request)));
    else if (this.#isFull()) this.#drop(1, undefined);
    else {
      this.#counted.set(key, { tenantId, integrationId, operation, code, at: minute, ...totalsOf(request) });
      this.#schedule();
    }
  }

  async find(tenantId: string, query: RequestQuery) {
    await this.flush();
    return this.#log.find(tenantId, query).catch(toUnavailable);
  }

  async totals(tenantId: string, query: CountQuery) {
    await this.flush();
    return this.#log.totals(tenantId, query).catch(toUnavailable);
  }

  /** Appends everything that waits. Gives up after a second. */
  async flush(): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, appendMs).unref();
    await Promise.race([this.#flush(), timeout]);
    clearTimeout(timer);
  }

  async #flush(): Promise<void> {
    await this.#appending;
    this.#appending ??= this.#append().finally(() => {
      this.#appending = undefined;
      if (this.#entries.length + this.#counted.size > 0) this.#schedule();
    });
    await this.#appending;
  }

  #drop(count: number, error: unknown): void {
    this.#onDropped(count, error, !this.#isDropping);
    this.#isDropping = true;
  }

  #isFull(): boolean {
    return this.#entries.length + this.#counted.size >= maxWaiting;
  }

  #isRepeated({ tenantId, integrationId, operation, code, status, at }: Omit<RequestEntry, "id">): boolean {
    const minute = at - (at % minuteMs);
    if (minute !== this.#minute || this.#repeated.size >= maxWaiting) this.#repeated.clear();
    this.#minute = minute;
    const key = `${tenantId}${integrationId}${operation}${code}${status}`;
    if (this.#repeated.has(key)) return true;
    this.#repeated.add(key);
    return false;
  }

  #schedule(): void {
    if (this.#appending !== undefined) return;
    this.#timer ??= setTimeout(() => void this.#flush(), appendMs).unref();
  }

  async #append(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = [...this.#entries, ...this.#counted.values()];
    this.#entries = [];
    this.#counted = new Map();
    try {
      if (batch.length > 0) await this.#log.append(batch);
      this.#isDropping = false;
    } catch (error) {
      this.#drop(batch.length, error);
    }
  }
}

export function toRequestSummary(trace: RequestTrace, ended: EndedRequest): RequestSummary {
  const { requestId, endpoint, caller, replayed, error } = trace;
  const { method, url, source, response, durationMs, header, env } = ended;
  const { tenantId = null, integrationId = null, keyId = null, userId = null } = caller ?? {};
  return {
    requestId,
    method,
    route: endpoint?.path ?? null,
    path: endpoint === undefined ? null : loggedPath(endpoint, trace.params, url),
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

const traceparent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** Returns the trace ID in a `traceparent` header, or null if the header is missing or invalid (W3C Trace Context). */
export function parseTraceId(header: string | null): string | null {
  if (header === null) return null;
  const [, version, traceId = null, rest] = traceparent.exec(header.trim()) ?? [];
  // Later versions can have more fields.
  return version === "00" && rest !== undefined ? null : traceId;
}
