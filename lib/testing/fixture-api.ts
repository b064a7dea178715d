import { setTimeout as wait } from "node:timers/promises";
import { endpoints } from "../endpoints/index.ts";
import { alreadySent } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import type { Api } from "../http/create-api.ts";
import { commonHeaders, errorResponse, type HttpResponse, resolveRequestId } from "../http/http-response.ts";
import type { FetchHandler } from "../http/node.ts";
import { operationNames } from "../http/operation-name.ts";
import { PendingWork } from "../http/pending-work.ts";
import type { RequestEnv } from "../http/request-env.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import { controlPath, handleControl } from "./control-routes.ts";
import { faultResponse, preferredResponse, type RateLimitInfo } from "./fault-response.ts";
import { type Fault, Faults } from "./faults.ts";
import { createInstance, restoreInstance, type TestInstance, type TestInstanceOptions } from "./instance.ts";
import { preferredError } from "./prefer-header.ts";
import { Journal, type JournalEntry } from "./request-journal.ts";
import { ensureApiKey, loadTenantFiles, type NamedTenantFile } from "./tenant-files.ts";
import type { TestClock } from "./test-clock.ts";

/** On every answer of a server whose records are fixtures, so that nobody takes it for a real one. */
export const fixtureHeaders = { "x-crm-fixtures": "in-memory" } as const;

export type FixtureApiOptions = TestInstanceOptions & { readonly files: readonly NamedTenantFile[] };

/** Everything at one moment: records, the clock, and which ids come next. */
export type Snapshot = { readonly world: ReturnType<TestInstance["serialize"]>; readonly putClockBack: () => void };

const operationName = operationNames(endpoints);

/** The real API over tenant files in memory, which can be put back, made to fail, and asked what it has received. */
export class FixtureApi implements FetchHandler {
  readonly clock: TestClock;
  readonly faults = new Faults();
  readonly loaded: readonly LoadedTenant[];
  readonly #options: TestInstanceOptions;
  readonly #journal = new Journal();
  readonly #leaving = new PendingWork();
  readonly #beginning: Snapshot;
  #world: TestInstance;

  /** Loads the files, with a key for each that has none. @throws TenantFileError */
  static async open({ files, ...options }: FixtureApiOptions): Promise<FixtureApi> {
    const world = createInstance(options);
    const { clock, counting, storage } = { ...options, ...world };
    const named = files.map((file) => ensureApiKey(file, counting));
    const loaded = await loadTenantFiles(storage, named, { clock, newId: counting.newId });
    return new FixtureApi(options, world, loaded);
  }

  private constructor(options: TestInstanceOptions, world: TestInstance, loaded: readonly LoadedTenant[]) {
    this.clock = options.clock;
    this.loaded = loaded;
    this.#options = options;
    this.#world = world;
    this.#beginning = this.snapshot();
  }

  get requests(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  snapshot(): Snapshot {
    return { world: this.#world.serialize(), putClockBack: this.clock.mark() };
  }

  /** Back to how everything was then; faults and requests are forgotten, and so is how often each key has called. */
  async restore({ world, putClockBack }: Snapshot): Promise<void> {
    const left = this.#world;
    this.#world = restoreInstance(this.#options, world);
    putClockBack();
    this.faults.clear();
    this.#journal.clear();
    void this.#leaving.run(() => left.close());
  }

  /** Back to the beginning. */
  reset(): Promise<void> {
    return this.restore(this.#beginning);
  }

  async close(): Promise<void> {
    await this.#world.close();
    await this.#leaving.close();
  }

  readonly newRequestId = (): string => this.#world.api.runtime.context.newId();

  /** Responds as the API does. Rejects, or destroys the socket, if a fault drops the connection. */
  readonly fetch = async (request: Request, env: RequestEnv = {}): Promise<Response> => {
    const response = await this.#respond(request, env);
    if (response === undefined) return dropConnection(env);
    const { status, body } = response;
    const headers = { ...response.headers, ...fixtureHeaders };
    if (env.transport === undefined) return new Response(request.method === "HEAD" ? null : body, { status, headers });
    env.transport.send({ status, headers, body });
    return alreadySent;
  };

  /** Returns undefined if the connection is to be dropped. */
  async #respond(request: Request, env: RequestEnv): Promise<HttpResponse | undefined> {
    const requestId = resolveRequestId(request.headers.get("x-request-id"), this.newRequestId);
    const read = async () => env.transport?.readBody() ?? readBody(request);
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith(controlPath)) return this.#control(request, read, requestId);
    const operation = operationName(request);
    const received = this.#journal.begin(request, pathname + search, operation);
    const recording = async (): Promise<Uint8Array> => received.record(await read());
    const response = await this.#perform(operation, request, { ...env, outgoing: undefined }, recording, requestId);
    received.status = response?.status ?? null;
    return response;
  }

  /** Returns the response that the request prefers, else that of a planned fault, else that of the API. */
  async #perform(
    operation: string | null,
    request: Request,
    env: RequestEnv,
    read: () => Promise<Uint8Array>,
    requestId: string,
  ): Promise<HttpResponse | undefined> {
    const { api, closeSignal } = this.#world;
    const { response, fault } = operation === null ? {} : this.#planned(operation, request, requestId);
    const isForApi = response === undefined && fault?.drop !== "before-commit";
    // The body is recorded, even if nothing handles it.
    if (!isForApi) await read().catch(() => {});
    if (fault?.delayMs !== undefined && !(await passed(fault.delayMs, closeSignal))) return undefined;
    if (!isForApi) return response;
    const sent = await captureResponse(api, request, env, read);
    return fault?.drop === "after-commit" ? undefined : sent;
  }

  #planned(
    operation: string,
    request: Request,
    requestId: string,
  ): { readonly response?: HttpResponse | undefined; readonly fault?: Fault | undefined } {
    const standing: RateLimitInfo = {
      limit: this.#options.rateLimit,
      now: this.clock.now(),
      requestId,
      method: request.method,
    };
    try {
      const preferred = preferredError(request.headers.get("prefer"), operation);
      if (preferred !== undefined) return { response: preferredResponse(preferred.error, preferred.applied, standing) };
    } catch (error) {
      return { response: errorResponse(error, requestId) };
    }
    const fault = this.faults.take(operation);
    if (fault?.status === undefined) return { fault };
    return { fault, response: faultResponse(fault.status, fault.retryAfter ?? 1, standing) };
  }

  async #control(request: Request, read: () => Promise<Uint8Array>, requestId: string): Promise<HttpResponse> {
    try {
      const controlled = { clock: this.clock, faults: this.faults, journal: this.#journal, reset: () => this.reset() };
      const { headers, ...response } = await handleControl(controlled, request, read);
      return { ...response, headers: { ...commonHeaders(requestId), ...headers } };
    } catch (error) {
      return errorResponse(error, requestId);
    }
  }
}

/** Returns the API's response instead of sending it. */
async function captureResponse(
  api: Api,
  request: Request,
  env: RequestEnv,
  read: () => Promise<Uint8Array>,
): Promise<HttpResponse> {
  const sent = Promise.withResolvers<HttpResponse>();
  await api.fetch(request, { ...env, transport: { ...env.transport, readBody: read, send: sent.resolve } });
  return sent.promise;
}

/** Waits for this time. Returns false if the world is closed before. */
function passed(ms: number, ending: AbortSignal): Promise<boolean> {
  return wait(ms, true, { signal: ending }).catch(() => false);
}

/** Ends the connection. Without one, rejects as `fetch` does. */
function dropConnection({ incoming }: RequestEnv): Response {
  if (incoming !== undefined) {
    incoming.socket.destroy();
    return alreadySent;
  }
  const cause = Object.assign(new Error("A planned fault dropped the connection."), { code: "ECONNRESET" });
  throw new TypeError("fetch failed", { cause });
}
