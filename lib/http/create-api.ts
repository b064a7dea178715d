import { createSecretKey, randomBytes } from "node:crypto";
import { type CurrentCounts, countEvents, zeroCounts } from "../api/api-counts.ts";
import type { Caller, Endpoint, HostRules, SharedContext } from "../api/endpoint.ts";
import { pruneExpired, pruneOldEvents } from "../api/maintenance.ts";
import type { SystemTools } from "../api/system-tools.ts";
import { type AdminAuth, adminVerifier } from "../auth/admin-token.ts";
import { type Clock, memoryRateLimiter, type RateLimiter, systemClock } from "../auth/rate-limiter.ts";
import { endpoints } from "../endpoints/index.ts";
import { entityKinds } from "../model/entities.ts";
import { type RandomBytes, uuidV7 } from "../model/uuid.ts";
import { cachedSettings } from "../storage/cached-settings.ts";
import { memoryRequestLog } from "../storage/memory-request-log.ts";
import type { RequestLog } from "../storage/request-log.ts";
import type { Storage, Write } from "../storage/storage.ts";
import { crmApp } from "./app.ts";
import type { Authenticate } from "./authenticate-request.ts";
import { callSafely, notifyCommitted, notifyRequest } from "./host-hooks.ts";
import type { AppOptions, RequestEnv } from "./http-exchange.ts";
import type { HttpRuntime, RequestSummary } from "./http-runtime.ts";
import { keyUseRecorder } from "./key-use-recorder.ts";
import { PendingWork, TenantQueue, UnsentBytes } from "./load-limits.ts";
import { createOperations, type Operations } from "./operations.ts";
import { RequestRecorder, recordRequest, toRequestSummary } from "./request-recorder.ts";
import { WaitingRequests } from "./waiting-requests.ts";
import {
  type RunningDelivery,
  WebhookDelivery,
  type WebhookDeliveryOptions,
  type WebhookOptions,
  webhookSender,
} from "./webhook-delivery.ts";

/** Receives server errors. Compatible with pino and similar loggers. */
export type Logger = { error(fields: Readonly<Record<string, unknown>>, message: string): void };

export type ApiOptions = {
  readonly storage: Storage;
  /** The default is the system clock. */
  readonly clock?: Clock;
  /** Returns a new UUID. The default is version 7. */
  readonly ids?: () => string;
  /** Limits the requests per API key. The default is 300 per minute, counted in this process. */
  readonly rateLimiter?: RateLimiter;
  /** Replaces API keys on the integration endpoints. Scopes and rate limit apply as they do to API keys. */
  readonly authenticate?: Authenticate;
  /** Validation rules of the host. They run with the rules of the tenant, and all errors are reported together. */
  readonly rules?: HostRules;
  /**
   * Called once for each commit of a caller's request, after it is durable. The response doesn't wait for it. A crash
   * can skip it, so use it as a wake-up signal only.
   */
  readonly onCommitted?: (writes: readonly Write[], caller: Caller) => void | Promise<void>;
  /** Called for each request before its response is sent, for logs and metrics. */
  readonly onRequest?: (summary: RequestSummary) => void;
  /** Keeps the requests of each tenant for some time. The default keeps the last 1,000 of each tenant in memory. */
  readonly requestLog?: RequestLog;
  /** Limits failed authentication per client address. The default is 60 per minute, counted in this process. */
  readonly authFailureLimiter?: RateLimiter;
  /** Verifies admin tokens. Without it, the admin endpoints respond with 401. */
  readonly adminAuth?: AdminAuth;
  /** The default is the random generator of the system. */
  readonly random?: RandomBytes;
  /** Maximum number of concurrent requests; more get 503. Requests whose body is still arriving don't count. The default is 2,000. */
  readonly maxInFlight?: number;
  /** Number of days after which events are deleted: 1 to 3,650. The default is 30. */
  readonly eventDays?: number;
  /** Shows admins the state of the server. Without it, `GET /admin/system` responds with 404. */
  readonly system?: SystemTools | undefined;
  /** How webhook messages are sent. `deliverWebhooks` starts the delivery. */
  readonly webhooks?: WebhookOptions;
  /** Nothing is logged by default. */
  readonly logger?: Logger;
};

/** The key of the parts of an API that other modules of the library use. The package doesn't export it. */
export const internals: unique symbol = Symbol("internals");

export type Api = {
  /** Handles a request under any path prefix. Never rejects. The same as `api.app().fetch`. */
  fetch(request: Request, env?: RequestEnv): Promise<Response>;
  /**
   * The operations by name, for callers in the same process. They reject with `ApiError`.
   */
  readonly operations: Operations;
  /** Every operation as a value. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Returns the API as a new Hono app. Serve its `fetch`, or mount it with `app.route("/crm", api.app())`. If it isn't
   * mounted, it accepts any path before `/integrations`, such as the prefix of a gateway.
   */
  app(options?: AppOptions): ReturnType<typeof crmApp>;
  /** @internal */
  readonly [internals]: HttpRuntime;
  /** Returns counts for metrics. */
  counts(): CurrentCounts;
  /**
   * Waits for the background work of the requests so far: the writes of `lastUsedAt` of API keys and sessions,
   * `onCommitted` calls, and the entries of the request log.
   * Responses don't wait for it. In a test, await it before you read what the work changes.
   */
  idle(): Promise<void>;
  /**
   * Starts to send events to webhooks. Several servers of a database can do it.
   * @throws Error if it is running
   */
  deliverWebhooks(options?: WebhookDeliveryOptions): RunningDelivery;
  /** Rejects new requests with 503, waits for running requests, operations and `onCommitted` calls, then closes the storage. */
  close(): Promise<void>;
};

const authFailuresPerMinute = 60;
const requestsPerMinute = 300;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const [defaultEventDays, maxEventDays] = [30, 3_650];
/** Old events are deleted once an hour, because that takes a query per tenant. */
const sweepsPerEventSweep = 60;
const defaultMaxInFlight = 2_000;
/** Number of requests of a tenant that run at the same time: those of endpoints that are long, and lists. */
const [maxLongRequests, maxPages] = [2, 4];
/** Each waiting request holds its body. */
const maxWaitingLongRequests = 100;

/** Creates the API over a storage. It starts one timer, which doesn't keep the process alive. */
export function createApi(options: ApiOptions): Api {
  const { ids, clock = systemClock, random = randomBytes, onRequest } = options;
  const counts = zeroCounts();
  const storage = cachedSettings(options.storage, counts.settingsCache);
  const perMinute = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock });
  const [requests, background] = [new PendingWork(), new PendingWork()];
  // A logger that throws must not fail the request.
  const log: Logger["error"] = (fields, message) =>
    callSafely(
      () => options.logger?.error(fields, message),
      () => {},
    );
  const report = (err: unknown, requestId: string): void => log({ err, requestId }, "request failed");
  const recorder = new RequestRecorder(options.requestLog ?? memoryRequestLog(), (count, err, isFirst) => {
    counts.requestLogDropped += count;
    if (isFirst) log({ err }, "request log failed; dropping entries");
  });
  const notify = onRequest && notifyRequest(onRequest, log);
  const context: SharedContext = {
    clock,
    newId: ids === undefined ? () => uuidV7(clock.now(), options.random) : () => ids().toLowerCase(),
    random,
    secret: once(async () => createSecretKey(await storage.cursorSecret())),
    rules: validateHostRules(options.rules),
    system: options.system,
    requestLog: recorder,
    webhooks: webhookSender(options.webhooks, clock),
  };
  const delivery = new WebhookDelivery(storage, context, log);
  const waiting = new WaitingRequests();
  const hook = options.onCommitted && notifyCommitted(options.onCommitted, background, log);
  const runtime: HttpRuntime = {
    storage,
    context,
    onCommitted: (writes, caller, events) => {
      countEvents(counts, events);
      waiting.notify(caller.tenantId);
      delivery.onCommitted(caller.tenantId, writes);
      hook?.(writes, caller);
    },
    rateLimiter: options.rateLimiter ?? perMinute(requestsPerMinute),
    authFailureLimiter: options.authFailureLimiter ?? perMinute(authFailuresPerMinute),
    authenticate: options.authenticate,
    verifyAdmin: options.adminAuth && adminVerifier(options.adminAuth),
    report,
    recordKeyUse: keyUseRecorder(storage, clock, background, report),
    requests,
    background,
    concurrency: new PendingWork(options.maxInFlight ?? defaultMaxInFlight),
    longRequests: new TenantQueue(maxLongRequests, maxWaitingLongRequests),
    pages: new TenantQueue(maxPages),
    unsent: new UnsentBytes(),
    waiting,
    onEnd(trace, ended) {
      notify?.(toRequestSummary(trace, ended));
      recordRequest(recorder, trace, ended, clock.now());
    },
    source: "http",
    counts,
    now: () => clock.monotonic(),
  };
  const eventDays = validateEventDays(options.eventDays);
  let sweeps = 0;
  const sweep = async (): Promise<void> => {
    const now = clock.now();
    await pruneExpired(storage, now).catch((err) => log({ err }, "deleting expired idempotency records failed"));
    if (sweeps++ % sweepsPerEventSweep !== 0) return;
    await pruneOldEvents(storage, now - eventDays * dayMs).catch((err) => log({ err }, "deleting old events failed"));
  };
  const sweeper = setInterval(() => void background.run(sweep), minuteMs).unref();
  const app = once(() => crmApp({ endpoints, runtime }));
  return {
    endpoints,
    [internals]: runtime,
    app: (appOptions) => crmApp({ endpoints, runtime }, appOptions),
    operations: createOperations(runtime),
    fetch: async (request, env) => app().fetch(request, env),
    counts: () => ({
      ...{ ...counts, unsentBytes: runtime.unsent.total, waitingRequests: waiting.size },
      delivery: delivery.counts,
    }),
    deliverWebhooks: (deliveryOptions) => delivery.start(deliveryOptions),
    idle: () => Promise.all([background.idle(), recorder.flush()]).then(() => {}),
    async close() {
      clearInterval(sweeper);
      waiting.close();
      await Promise.all([delivery.stop(), requests.close()]);
      await Promise.all([background.close(), recorder.flush()]);
      await storage.close();
    },
  };
}

/** Returns the host's rules. @throws TypeError for an unknown entity or a rule that isn't a function */
function validateHostRules(rules: HostRules = {}): HostRules {
  for (const [name, list] of Object.entries(rules)) {
    if (!(entityKinds as readonly string[]).includes(name))
      throw new TypeError(`Unknown entity "${name}" in rules. Known entities: ${entityKinds.join(", ")}.`);
    const isList = Array.isArray(list) && list.every((rule) => typeof rule === "function");
    if (list !== undefined && !isList) throw new TypeError(`rules.${name} must be an array of functions.`);
  }
  return rules;
}

/** @throws TypeError unless it is an integer from 1 to 3,650 */
function validateEventDays(days = defaultEventDays): number {
  if (Number.isInteger(days) && days >= 1 && days <= maxEventDays) return days;
  throw new TypeError(`eventDays must be an integer from 1 to ${maxEventDays}.`);
}

/** Caches the first result of `make`. A rejected promise is not cached. */
function once<T>(make: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= make();
    if (result instanceof Promise)
      result.catch(() => {
        result = undefined;
      });
    return result;
  };
}
