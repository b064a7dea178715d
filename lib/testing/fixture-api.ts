import { endpoints } from "../endpoints/index.ts";
import { alreadySent } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import { type Api, internals } from "../http/create-api.ts";
import type { RequestEnv } from "../http/http-exchange.ts";
import { commonHeaders, errorResponse, type HttpResponse, resolveRequestId } from "../http/http-exchange.ts";
import { PendingWork, TenantQueue } from "../http/load-limits.ts";
import type { FetchHandler } from "../http/node.ts";
import { operationNames } from "../http/paths.ts";
import type { Storage } from "../storage/storage.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import { type ControlTarget, controlPath, handleControl } from "./control-routes.ts";
import { dropConnection, faultResponse, preferredResponse, type RateLimitInfo } from "./fault-response.ts";
import { type Fault, Faults, waitUnlessAborted } from "./faults.ts";
import { preferredError } from "./prefer-header.ts";
import { type JournalEntry, RequestJournal } from "./request-journal.ts";
import { ensureApiKey, loadTenantFiles, type NamedTenantFile } from "./tenant-files.ts";
import type { TestClock } from "./test-clock.ts";
import {
  createInstance,
  type InstanceState,
  restoreInstance,
  type TestInstance,
  type TestInstanceOptions,
} from "./test-instance.ts";

/** Marks every response of a server that serves fixtures, so that it can't be mistaken for a real one. */
export const fixtureHeaders = { "x-crm-fixtures": "in-memory" } as const;

export type FixtureApiOptions = TestInstanceOptions & { readonly files: readonly NamedTenantFile[] };

/** A saved state: records, wall clock, and the next IDs. */
export type Snapshot = { readonly state: InstanceState; readonly restoreClock: () => void };

/** Maximum number of snapshots that another program can keep. Each is a copy of the database. */
const maxSaved = 20;

/** The name of the server in leases. A random one would change the IDs. */
const owner = "test";

const operationName = operationNames(endpoints);

/** The real API over tenant files in memory, with snapshots, faults and a journal of its requests. */
export class FixtureApi implements FetchHandler {
  readonly clock: TestClock;
  readonly faults = new Faults();
  readonly loaded: readonly LoadedTenant[];
  readonly #options: TestInstanceOptions;
  readonly #journal = new RequestJournal();
  readonly #closing = new PendingWork();
  readonly #restores = new TenantQueue(1);
  readonly #initial: Snapshot;
  readonly #saved = new Map<string, Snapshot>();
  #savedCount = 0;
  #isDelivering = false;
  #instance: TestInstance;

  /** Loads the files, and adds an API key to each that has none. @throws TenantFileError */
  static async open({ files, ...options }: FixtureApiOptions): Promise<FixtureApi> {
    const instance = createInstance(options);
    const { generator, storage } = instance;
    const withKeys = files.map((file) => ensureApiKey(file, generator));
    const loaded = await loadTenantFiles(storage, withKeys, { clock: options.clock, newId: generator.newId });
    return new FixtureApi(options, instance, loaded);
  }

  private constructor(options: TestInstanceOptions, instance: TestInstance, loaded: readonly LoadedTenant[]) {
    this.clock = options.clock;
    this.loaded = loaded;
    this.#options = options;
    this.#instance = instance;
    this.#initial = this.snapshot();
  }

  /** The API of the current state. A restore replaces it. */
  get api(): Api {
    return this.#instance.api;
  }

  /** The records of the current state. A restore replaces it. */
  get storage(): Storage {
    return this.#instance.storage;
  }

  get requests(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  snapshot(): Snapshot {
    return { state: this.#instance.serialize(), restoreClock: this.clock.mark() };
  }

  /** Restores a snapshot. Clears the faults, the journal and the rate limits. Sessions of the console continue. */
  restore({ state, restoreClock }: Snapshot): Promise<void> {
    return this.#restores.run("", async () => {
      const replaced = this.#instance;
      this.#instance = await restoreInstance(this.#options, state, replaced);
      restoreClock();
      if (this.#isDelivering) this.#instance.api.deliverWebhooks({ owner });
      this.faults.clear();
      this.#journal.clear();
      void this.#closing.run(() => replaced.close());
    });
  }

  /** Restores the state after loading. */
  reset(): Promise<void> {
    return this.restore(this.#initial);
  }

  /** Starts the delivery of webhooks. It continues after a restore. */
  deliverWebhooks(): void {
    this.#isDelivering = true;
    this.#instance.api.deliverWebhooks({ owner });
  }

  /** Delivers webhook messages until none is due. */
  async deliverDueWebhooks(): Promise<void> {
    const delivery = this.#instance.api.deliverWebhooks({ owner, isManual: true });
    await delivery.deliver();
    await delivery.stop();
  }

  idle(): Promise<void> {
    return this.#instance.api.idle();
  }

  async close(): Promise<void> {
    await this.#instance.close();
    await this.#closing.close();
  }

  readonly newRequestId = (): string => this.#instance.api[internals].context.newId();

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
    if (`${pathname}/`.startsWith(controlPath)) return this.#control(request, read, requestId);
    const operation = operationName(request);
    const entry = this.#journal.begin(request, pathname + search, operation);
    const readAndRecord = async (): Promise<Uint8Array> => {
      const body = await read();
      this.#journal.addBody(entry, body);
      return body;
    };
    const response = await this.#perform(operation, request, { ...env, outgoing: undefined }, readAndRecord, requestId);
    entry.status = response?.status ?? null;
    return response;
  }

  /** Returns the response that `Prefer` selects, or else that of a fault, or else that of the API. */
  async #perform(
    operation: string | null,
    request: Request,
    env: RequestEnv,
    read: () => Promise<Uint8Array>,
    requestId: string,
  ): Promise<HttpResponse | undefined> {
    const { api, closeSignal } = this.#instance;
    const { response, fault } = operation === null ? {} : this.#injected(operation, request, requestId);
    const isForApi = response === undefined && fault?.drop !== "before-commit";
    // The journal needs the body even if the API doesn't.
    if (!isForApi) await read().catch(() => {});
    if (fault?.delayMs !== undefined && !(await waitUnlessAborted(fault.delayMs, closeSignal))) return undefined;
    if (!isForApi) return response;
    const sent = await captureResponse(api, request, env, read);
    return fault?.drop === "after-commit" ? undefined : sent;
  }

  /** Saves a snapshot for another program. The oldest one is deleted if there are too many. */
  #save(): string {
    const name = String(++this.#savedCount);
    this.#saved.set(name, this.snapshot());
    this.#saved.delete(String(this.#savedCount - maxSaved));
    return name;
  }

  async #restoreSaved(name: string): Promise<boolean> {
    const snapshot = this.#saved.get(name);
    if (snapshot !== undefined) await this.restore(snapshot);
    return snapshot !== undefined;
  }

  #injected(
    operation: string,
    request: Request,
    requestId: string,
  ): { readonly response?: HttpResponse | undefined; readonly fault?: Fault | undefined } {
    const info: RateLimitInfo = {
      limit: this.#options.rateLimit,
      now: this.clock.now(),
      requestId,
      method: request.method,
    };
    try {
      const preferred = preferredError(request.headers.get("prefer"), operation);
      if (preferred !== undefined) return { response: preferredResponse(preferred.error, preferred.applied, info) };
    } catch (error) {
      return { response: errorResponse(error, requestId) };
    }
    const fault = this.faults.take(operation);
    if (fault?.status === undefined) return { fault };
    return { fault, response: faultResponse(fault.status, fault.retryAfter ?? 1, info) };
  }

  async #control(request: Request, read: () => Promise<Uint8Array>, requestId: string): Promise<HttpResponse> {
    try {
      const target: ControlTarget = {
        clock: this.clock,
        faults: this.faults,
        journal: this.#journal,
        reset: () => this.reset(),
        save: () => this.#save(),
        restore: (name) => this.#restoreSaved(name),
      };
      const { headers, ...response } = await handleControl(target, request, read);
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
