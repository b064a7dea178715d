import { createSecretKey, randomBytes } from "node:crypto";
import type { Caller, Endpoint, HostRules, SharedContext } from "../api/endpoint.ts";
import { pruneExpired, recordKeyUse } from "../api/maintenance.ts";
import type { SystemTools } from "../api/system-tools.ts";
import { type AdminAuth, adminVerifier } from "../auth/admin-token.ts";
import { type Clock, memoryRateLimiter, type RateLimiter, systemClock } from "../auth/rate-limiter.ts";
import { endpoints } from "../endpoints/index.ts";
import { entityKinds } from "../model/entities.ts";
import { type RandomBytes, uuidV7 } from "../model/uuid.ts";
import { cachedSettings } from "../storage/cached-settings.ts";
import type { ApiKeyWithScopes, Storage, Write } from "../storage/storage.ts";
import { crmApp, type HttpRuntime } from "./app.ts";
import type { AppOptions } from "./app-options.ts";
import type { Authenticate } from "./authenticate-request.ts";
import { PendingWork, TenantQueue, UnsentBytes } from "./load-limits.ts";
import { createOperations, type Operations } from "./operations.ts";
import type { RequestEnv } from "./request-env.ts";
import type { RequestSummary } from "./request-log.ts";

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
  /** Limits failed authentication per client address. The default is 60 per minute, counted in this process. */
  readonly authFailureLimiter?: RateLimiter;
  /** Verifies admin tokens. Without it, the admin endpoints respond with 401. */
  readonly adminAuth?: AdminAuth;
  /** The default is the random generator of the system. */
  readonly random?: RandomBytes;
  /** Maximum number of concurrent requests; more get 503. Requests whose body is still arriving don't count. The default is 2,000. */
  readonly maxInFlight?: number;
  /** Shows admins the state of the server. Without it, `GET /admin/system` responds with 404. */
  readonly system?: SystemTools | undefined;
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
  /**
   * Waits for the background work of the requests so far: the writes of `lastUsedAt` of API keys, and `onCommitted` calls.
   * Responses don't wait for it. In a test, await it before you read what the work changes.
   */
  idle(): Promise<void>;
  /** Rejects new requests with 503, waits for running requests, operations and `onCommitted` calls, then closes the storage. */
  close(): Promise<void>;
};

const authFailuresPerMinute = 60;
const requestsPerMinute = 300;
const minuteMs = 60_000;
const defaultMaxInFlight = 2_000;
/** Number of requests of a tenant that run at the same time: those of endpoints that are long, and lists. */
const [maxLongRequests, maxPages] = [2, 4];
/** Each waiting request holds its body. */
const maxWaitingLongRequests = 100;

/** Creates the API over a storage. It starts one timer, which doesn't keep the process alive. */
export function createApi(options: ApiOptions): Api {
  const { ids, clock = systemClock, random = randomBytes } = options;
  const storage = cachedSettings(options.storage);
  const perMinute = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock });
  const [requests, background] = [new PendingWork(), new PendingWork()];
  // A logger that throws must not fail the request.
  const log: Logger["error"] = (fields, message) =>
    callSafely(
      () => options.logger?.error(fields, message),
      () => {},
    );
  const report = (err: unknown, requestId: string): void => log({ err, requestId }, "request failed");
  const context: SharedContext = {
    clock,
    newId: ids === undefined ? () => uuidV7(clock.now(), options.random) : () => ids().toLowerCase(),
    random,
    secret: once(async () => createSecretKey(await storage.cursorSecret())),
    rules: validateHostRules(options.rules),
    system: options.system,
  };
  const runtime: HttpRuntime = {
    storage,
    context,
    onCommitted: options.onCommitted && notifyCommitted(options.onCommitted, background, log),
    rateLimiter: options.rateLimiter ?? perMinute(requestsPerMinute),
    authFailureLimiter: options.authFailureLimiter ?? perMinute(authFailuresPerMinute),
    authenticate: options.authenticate,
    verifyAdmin: options.adminAuth && adminVerifier(options.adminAuth),
    report,
    recordKeyUse: keyUseRecorder(storage, clock, background, report),
    requests,
    concurrency: new PendingWork(options.maxInFlight ?? defaultMaxInFlight),
    longRequests: new TenantQueue(maxLongRequests, maxWaitingLongRequests),
    pages: new TenantQueue(maxPages),
    unsent: new UnsentBytes(),
    onResponse: options.onRequest && notifyRequest(options.onRequest, log),
    now: () => clock.monotonic(),
  };
  const prune = (): Promise<unknown> =>
    pruneExpired(storage, clock.now()).catch((err) => log({ err }, "deleting expired idempotency records failed"));
  const sweeper = setInterval(() => void background.run(prune), minuteMs).unref();
  const app = once(() => crmApp({ endpoints, runtime }));
  return {
    endpoints,
    [internals]: runtime,
    app: (appOptions) => crmApp({ endpoints, runtime }, appOptions),
    operations: createOperations(runtime),
    fetch: async (request, env) => app().fetch(request, env),
    idle: () => background.idle(),
    async close() {
      clearInterval(sweeper);
      await requests.close();
      await background.close();
      await storage.close();
    },
  };
}

/** Returns a function that records the use of an API key in the background, one write per key at a time. */
function keyUseRecorder(storage: Storage, clock: Clock, background: PendingWork, report: HttpRuntime["report"]) {
  const recording = new Set<string>();
  return (key: ApiKeyWithScopes): void => {
    // IDs are unique within a tenant only.
    const name = `${key.tenantId}:${key.id}`;
    // While the database is locked, every request of a key would add one more waiting write.
    if (recording.has(name)) return;
    recording.add(name);
    void background.run(() =>
      recordKeyUse(storage, key, clock.now())
        .catch((error) => report(error, key.id))
        .finally(() => recording.delete(name)),
    );
  };
}

/** Returns a function that calls the host's hook without waiting for it. Errors of the hook are logged. */
function notifyCommitted(hook: NonNullable<ApiOptions["onCommitted"]>, background: PendingWork, log: Logger["error"]) {
  return (writes: readonly Write[], caller: Caller): void => {
    const call = async (): Promise<void> => {
      try {
        await hook(writes, caller);
      } catch (err) {
        log({ err, tenantId: caller.tenantId }, "onCommitted failed");
      }
    };
    void background.run(call);
  };
}

/** Returns a function that calls the host's hook. Errors of the hook are logged. */
function notifyRequest(hook: NonNullable<ApiOptions["onRequest"]>, log: Logger["error"]) {
  return (summary: RequestSummary): void =>
    callSafely(
      () => hook(summary),
      (err) => log({ err, requestId: summary.requestId }, "onRequest failed"),
    );
}

/** Calls a function of the host, which may throw or return a promise that rejects. */
function callSafely(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(onError);
  } catch (error) {
    onError(error);
  }
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
