import { randomBytes } from "node:crypto";
import { run } from "../api.ts";
import { type AdminAuth, adminVerifier } from "../auth/admin-token.ts";
import type { Caller, Context, Endpoint } from "../endpoint.ts";
import { endpoints } from "../endpoints/all.ts";
import { type RandomBytes, uuidV7 } from "../ids.ts";
import { type Clock, type Limiter, memoryLimiter, systemClock } from "../limits.ts";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { sweep, touch } from "../upkeep.ts";
import { asApiError, errorAnswer, requestIdOf } from "./answer.ts";
import { handle, type Parts, type Transport } from "./handler.ts";
import { pages } from "./pages.ts";
import { Router } from "./router.ts";

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
  /** 60 failed authentications a minute per address, in this process's memory, where it is absent. */
  readonly failureLimiter?: Limiter;
  /** Who signs administrators' tokens. Their endpoints answer 401 where it is absent. */
  readonly adminAuth?: AdminAuth;
  /** The system's generator where it is absent. */
  readonly random?: RandomBytes;
  /** Requests under way at a time, 2,000 where it is absent; one more is answered 503 at once. */
  readonly inFlightMax?: number;
  /** Nothing is logged where it is absent. */
  readonly logger?: Logger;
};

/** One call of an operation without HTTP. The host vouches for the caller. */
export type OperationCall = {
  readonly caller: Pick<Caller, "tenantId" | "scopes"> & Partial<Caller>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
};

export type OperationAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | null;
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

export type Api = {
  /** Answers a request under any prefix; never rejects. */
  fetch(request: Request, transport?: Transport): Promise<Response>;
  /** The same operations for callers in the process, by name. They reject with `ApiError`. */
  readonly operations: Readonly<Record<string, (call: OperationCall) => Promise<OperationAnswer>>>;
  /** Every operation as data. */
  readonly endpoints: readonly Endpoint[];
  /** An id for an answer that a transport gives without asking `fetch`. */
  newRequestId(): string;
  /** Waits for the requests begun, then closes the storage. */
  close(): Promise<void>;
};

const failuresPerMinute = 60;
const requestsPerMinute = 300;
const minuteMs = 60_000;
const inFlightMaxDefault = 2_000;

/** The whole API over a storage. It starts one timer, which keeps no process alive. */
export function createApi(options: ApiOptions): Api {
  const { storage, clock = systemClock, random = randomBytes } = options;
  const perMinute = (limit: number): Limiter => memoryLimiter({ limit, windowMs: minuteMs, clock });
  const background = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => {}).finally(() => background.delete(settled));
    background.add(settled);
    return work;
  };
  const report: Parts["report"] = (error, requestId) => {
    try {
      options.logger?.error({ err: error, requestId }, "request failed");
    } catch {
      // A host whose logger fails hears of it there; the caller is to get an answer all the same.
    }
  };
  const context: Context = {
    storage,
    clock,
    newId: options.ids ?? (() => uuidV7(clock.now(), random)),
    random,
    secret: once(() => storage.secret()),
  };
  const parts: Parts = {
    storage,
    context,
    router: new Router(endpoints, pages),
    limiter: options.limiter ?? perMinute(requestsPerMinute),
    failureLimiter: options.failureLimiter ?? perMinute(failuresPerMinute),
    verifyAdmin: options.adminAuth && adminVerifier(options.adminAuth),
    report,
    onAuthenticated: (key) => void track(touch(storage, key, clock.now()).catch((error) => report(error, key.id))),
  };
  const sweeper = setInterval(() => void track(sweep(storage, clock.now())), minuteMs).unref();
  return {
    endpoints,
    newRequestId: context.newId,
    operations: operationsOf(parts),
    async fetch(request, transport = {}) {
      const overloaded = background.size >= (options.inFlightMax ?? inFlightMaxDefault);
      return overloaded ? shed(parts, request) : track(respond(parts, request, transport));
    },
    async close() {
      clearInterval(sweeper);
      while (background.size > 0) await Promise.all(background);
      await storage.close();
    },
  };
}

async function respond(parts: Parts, request: Request, transport: Transport): Promise<Response> {
  const { status, headers, body } = await handle(parts, request, transport);
  return new Response(body, { status, headers });
}

/** More than this process can do soon: better told at once than kept waiting. */
function shed({ context }: Parts, request: Request): Response {
  const requestId = requestIdOf(request.headers.get("x-request-id"), context.newId);
  const { body, ...init } = errorAnswer(new StorageUnavailable("overloaded"), requestId);
  return new Response(body, init);
}

function operationsOf({ storage, context, report }: Parts): Api["operations"] {
  const operation =
    (endpoint: Endpoint) =>
    async (call: OperationCall): Promise<OperationAnswer> => {
      const query = Object.entries(call.query ?? {}).map(([name, value]) => [name, String(value)]);
      try {
        const reply = await run(storage, context, endpoint, {
          caller: { integrationId: null, keyId: null, userId: null, ...call.caller },
          params: call.params ?? {},
          query: Object.fromEntries(query),
          body: () => call.body,
          idempotencyKey: call.idempotencyKey ?? null,
        });
        return { ...reply, body: reply.body === null ? null : JSON.parse(reply.body) };
      } catch (error) {
        const requestId = context.newId();
        const known = asApiError(error, requestId);
        if (known.status >= 500) report(error, requestId);
        throw known;
      }
    };
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, operation(endpoint)]));
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
