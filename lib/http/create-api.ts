import { randomBytes } from "node:crypto";
import { type AdminAuth, adminVerifier } from "../auth/admin-token.ts";
import type { Caller, Context, Endpoint, HostRules } from "../endpoint.ts";
import { endpoints } from "../endpoints/all.ts";
import { type RandomBytes, uuidV7 } from "../ids.ts";
import { type Clock, type Limiter, memoryLimiter, systemClock } from "../limits.ts";
import { type Credential, type Storage, StorageUnavailable, type Write } from "../storage.ts";
import { sweep, touch } from "../upkeep.ts";
import { errorAnswer, type HttpAnswer, requestIdOf } from "./answer.ts";
import { type Asked, askedBy } from "./asked.ts";
import type { Authenticate, Transport } from "./caller.ts";
import { handle, isFull, overloaded, type Parts } from "./handler.ts";
import { checkedRules } from "./host-rules.ts";
import { type OperationAnswer, type OperationCall, operationsOf } from "./operations.ts";
import { pages } from "./pages.ts";
import { Router } from "./router.ts";
import { newTrace, type RequestSummary, summaryOf, type Trace } from "./summary.ts";
import { Turns } from "./turns.ts";
import { Underway } from "./underway.ts";

/** Where the library says what went wrong on our side: pino and its like fit. */
export type Logger = { error(fields: Readonly<Record<string, unknown>>, message: string): void };

export type ApiOptions = {
  readonly storage: Storage;
  /** The system's clocks where it is absent. */
  readonly clock?: Clock;
  /** A new uuid at every call; version 7 where it is absent. */
  readonly ids?: () => string;
  /** 300 requests a minute per key, in this process's memory, where it is absent. */
  readonly limiter?: Limiter;
  /** In place of API keys, on the integration endpoints; scopes and the rate hold as they do for keys. */
  readonly authenticate?: Authenticate;
  /** Asked together with the rules of the tenant: everything that is wrong is named at once. */
  readonly rules?: HostRules;
  /**
   * Called once for each commit that a caller's request made through this object, after it is durable, without the
   * answer waiting for it. A crash, or an outcome that could not be known, may leave it out: it is a hint to look.
   */
  readonly onCommitted?: (writes: readonly Write[], caller: Caller) => void | Promise<void>;
  /**
   * Called once for each request that `fetch` or `answer` takes, when the answer is made and before it goes out: for a log or
   * metrics. It holds up the answer for as long as it takes.
   */
  readonly onRequest?: (summary: RequestSummary) => void;
  /** 60 failed authentications a minute per address, in this process's memory, where it is absent. */
  readonly failureLimiter?: Limiter;
  /** Who signs administrators' tokens. Their endpoints answer 401 where it is absent. */
  readonly adminAuth?: AdminAuth;
  /** The system's generator where it is absent. */
  readonly random?: RandomBytes;
  /**
   * Requests worked on at a time, 2,000 where it is absent; one more is answered 503 at once. One whose body is still
   * coming in is not worked on.
   */
  readonly inFlightMax?: number;
  /** Nothing is logged where it is absent. */
  readonly logger?: Logger;
};

export type Api = {
  /** Answers a request under any prefix; never rejects. */
  fetch(request: Request, transport?: Transport): Promise<Response>;
  /** The same without Request and Response, for transports that have neither. */
  answer(asked: Asked, transport?: Transport): Promise<HttpAnswer>;
  /**
   * The same operations for callers in the process, by name, and some that only they have: createUser, updateUser,
   * archiveUser, listIntegrations, createIntegration, updateIntegration, generateNamedApiKey. They reject with `ApiError`.
   */
  readonly operations: Readonly<Record<string, (call: OperationCall) => Promise<OperationAnswer>>>;
  /** Every operation as data. */
  readonly endpoints: readonly Endpoint[];
  /** An id for an answer that a transport gives without asking `fetch`. */
  newRequestId(): string;
  /**
   * Waits for the requests and operations begun and the calls of `onCommitted`, then closes the storage. What comes
   * meanwhile and later is answered 503.
   */
  close(): Promise<void>;
};

const failuresPerMinute = 60;
const requestsPerMinute = 300;
const minuteMs = 60_000;
const inFlightMaxDefault = 2_000;

/** The whole API over a storage. It starts one timer, which keeps no process alive. */
export function createApi(options: ApiOptions): Api {
  const { storage, ids, clock = systemClock, random = randomBytes } = options;
  const perMinute = (limit: number): Limiter => memoryLimiter({ limit, windowMs: minuteMs, clock });
  const [requests, hooks] = [new Underway(), new Underway()];
  // A host whose logger fails hears of it there; the caller is to get an answer all the same.
  const log: Logger["error"] = (fields, message) =>
    contained(
      () => options.logger?.error(fields, message),
      () => {},
    );
  const report: Parts["report"] = (err, requestId) => log({ err, requestId }, "request failed");
  const touching = new Set<string>();
  const note = (key: Credential): void => {
    // Ids are each tenant's own: a key of one and a key of another may have the same.
    const name = `${key.tenantId}:${key.id}`;
    // While the database is locked, each request of a key would leave one more write waiting.
    if (touching.has(name)) return;
    touching.add(name);
    const noted = touch(storage, key, clock.now()).catch((error) => report(error, key.id));
    void requests.track(noted.finally(() => touching.delete(name)));
  };
  const context: Context = {
    storage,
    clock,
    newId: ids === undefined ? () => uuidV7(clock.now(), options.random) : () => ids().toLowerCase(),
    random,
    secret: once(() => storage.secret()),
    rules: checkedRules(options.rules),
  };
  const parts: Parts = {
    storage,
    context,
    onCommitted: options.onCommitted && telling(options.onCommitted, hooks, log),
    router: new Router(endpoints, pages),
    limiter: options.limiter ?? perMinute(requestsPerMinute),
    failureLimiter: options.failureLimiter ?? perMinute(failuresPerMinute),
    authenticate: options.authenticate,
    verifyAdmin: options.adminAuth && adminVerifier(options.adminAuth),
    report,
    onAuthenticated: note,
    inFlight: new Set(),
    inFlightMax: options.inFlightMax ?? inFlightMaxDefault,
    turns: new Turns(),
  };
  const tell = options.onRequest && summing(options.onRequest, clock, log);
  let closing = false;
  const sweeper = setInterval(() => void requests.track(sweep(storage, clock.now())), minuteMs).unref();
  const answer = async (asked: Asked, transport: Transport = {}): Promise<HttpAnswer> => {
    try {
      const trace = tell && newTrace(clock.monotonic());
      const shut = isFull(parts) || closing;
      const given = shut ? shed(parts, asked, trace) : await requests.track(handle(parts, asked, transport, trace));
      if (trace !== undefined) tell?.(trace, given.status);
      return given;
    } catch (error) {
      // A host's clock or limiter may fail where an answer is only still given its headers.
      const requestId = requestIdOf(null, context.newId);
      report(error, requestId);
      return errorAnswer(error, requestId, asked.method);
    }
  };
  return {
    endpoints,
    newRequestId: context.newId,
    operations: operationsOf(parts, (work) => {
      if (closing) throw new StorageUnavailable("closing");
      return requests.track(work());
    }),
    answer,
    async fetch(request, transport = {}) {
      const { body, ...init } = await answer(askedBy(request, transport.body), transport);
      return new Response(body, init);
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      await requests.ended();
      await hooks.ended();
      await storage.close();
    },
  };
}

/** Calls the host's hook at once and waits for nothing; whatever becomes of it stays here. */
function telling(hook: NonNullable<ApiOptions["onCommitted"]>, hooks: Underway, log: Logger["error"]) {
  const call = async (writes: readonly Write[], caller: Caller): Promise<void> => {
    try {
      await hook(writes, caller);
    } catch (err) {
      log({ err, tenantId: caller.tenantId }, "onCommitted failed");
    }
  };
  return (writes: readonly Write[], caller: Caller): void => void hooks.track(call(writes, caller));
}

/** Whatever becomes of the host's hook stays here. */
function summing(hook: NonNullable<ApiOptions["onRequest"]>, clock: Clock, log: Logger["error"]) {
  return (trace: Trace, status: number): void =>
    contained(
      () => hook(summaryOf(trace, status, clock.monotonic())),
      (err) => log({ err, requestId: trace.requestId }, "onRequest failed"),
    );
}

/** Calls what is the host's: whether it throws or, being async after all, rejects, nothing comes of it but this. */
function contained(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Better told at once than kept waiting. */
function shed({ context }: Parts, asked: Asked, trace?: Trace): HttpAnswer {
  return overloaded(asked.method, requestIdOf(asked.header("x-request-id"), context.newId), trace);
}

/** The answer of the first call that succeeds, for all later ones. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
