import { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { endpoints } from "../endpoints/all.ts";
import { commonHeaders, errorAnswer, type HttpAnswer, requestIdOf } from "../http/answer.ts";
import { type Address, type Asked, askedBy } from "../http/asked.ts";
import { readBody } from "../http/body.ts";
import type { Transport } from "../http/caller.ts";
import type { Api } from "../http/create-api.ts";
import { pages } from "../http/pages.ts";
import { Router } from "../http/router.ts";
import { Underway } from "../http/underway.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import { control, controlPath } from "./control.ts";
import { faultAnswer, preferredAnswer, type Standing } from "./fault-answer.ts";
import { type Fault, Faults } from "./faults.ts";
import { Journal, type JournalEntry } from "./journal.ts";
import { preferredError } from "./preference.ts";
import { loadTenantFiles, type NamedTenantFile, withKey } from "./tenant-files.ts";
import type { TestClock } from "./test-clock.ts";
import { emptyWorld, type World, type WorldOptions, worldOf } from "./world.ts";

/** On every answer of a server whose records are fixtures, so that nobody takes it for a real one. */
export const fixtureHeaders = { "x-crm-fixtures": "in-memory" } as const;

export type FixtureApiOptions = WorldOptions & { readonly files: readonly NamedTenantFile[] };

/** Everything at one moment: records, the clock, and which ids come next. */
export type Snapshot = { readonly world: ReturnType<World["image"]>; readonly putClockBack: () => void };

const router = new Router(endpoints, pages);

/** The real API over tenant files in memory, which can be put back, made to fail, and asked what it has received. */
export class FixtureApi implements Pick<Api, "answer" | "fetch" | "newRequestId"> {
  readonly clock: TestClock;
  readonly faults = new Faults();
  readonly loaded: readonly LoadedTenant[];
  readonly #options: WorldOptions;
  readonly #journal = new Journal();
  readonly #leaving = new Underway();
  readonly #beginning: Snapshot;
  #world: World;

  /** Loads the files, with a key for each that has none. @throws TenantFileRefused */
  static async open({ files, ...options }: FixtureApiOptions): Promise<FixtureApi> {
    const world = emptyWorld(options);
    const { clock, counting, storage } = { ...options, ...world };
    const named = files.map((file) => withKey(file, counting));
    const loaded = await loadTenantFiles(storage, named, { clock, newId: counting.newId });
    return new FixtureApi(options, world, loaded);
  }

  private constructor(options: WorldOptions, world: World, loaded: readonly LoadedTenant[]) {
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
    return { world: this.#world.image(), putClockBack: this.clock.mark() };
  }

  /** Back to how everything was then; faults and requests are forgotten, and so is how often each key has called. */
  async restore({ world, putClockBack }: Snapshot): Promise<void> {
    const left = this.#world;
    this.#world = worldOf(this.#options, world);
    putClockBack();
    this.faults.clear();
    this.#journal.clear();
    void this.#leaving.track(left.close());
  }

  /** Back to the beginning. */
  reset(): Promise<void> {
    return this.restore(this.#beginning);
  }

  async close(): Promise<void> {
    await this.#world.close();
    await this.#leaving.ended();
  }

  readonly newRequestId = (): string => this.#world.api.newRequestId();

  readonly fetch = async (request: Request, transport: Transport = {}): Promise<Response> => {
    const { body, ...init } = await this.answer(askedBy(request, transport.body), transport);
    return new Response(body, init);
  };

  /** As the real one; rejects where the connection is to be dropped, and ends it where there is one. */
  readonly answer = async (asked: Asked, transport: Transport = {}): Promise<HttpAnswer> => {
    const answer = (await this.#answered(asked, transport)) ?? dropped(transport);
    return { ...answer, headers: { ...answer.headers, ...fixtureHeaders } };
  };

  /** Undefined where the connection is to be dropped. */
  async #answered(asked: Asked, transport: Transport): Promise<HttpAnswer | undefined> {
    const { api } = this.#world;
    const requestId = (): string => requestIdOf(asked.header("x-request-id"), api.newRequestId);
    const address = addressOf(asked);
    if (address?.pathname.startsWith(controlPath)) return this.#controlled(asked, requestId());
    const { pathname = "", search = "" } = address ?? {};
    const operation = operationOf(asked.method, pathname);
    const received = this.#journal.begin(asked, pathname + search, operation);
    const answer = await this.#perform(operation, received.heard(asked), transport, requestId);
    received.status = answer?.status ?? null;
    return answer;
  }

  /** What the request has asked for, else what is planned for it, else what the API answers. */
  async #perform(
    operation: string | null,
    asked: Asked,
    transport: Transport,
    requestId: () => string,
  ): Promise<HttpAnswer | undefined> {
    const { api, ending } = this.#world;
    const { answer, fault } = operation === null ? {} : this.#planned(operation, asked, requestId);
    const isForApi = answer === undefined && fault?.drop !== "before-commit";
    // It is noted as it was received, also where nobody looks at it.
    if (!isForApi) await readBody(asked, async () => true).catch(() => {});
    if (fault?.delayMs !== undefined && !(await passed(fault.delayMs, ending))) return undefined;
    if (!isForApi) return answer;
    const given = await api.answer(asked, transport);
    return fault?.drop === "after-commit" ? undefined : given;
  }

  #planned(
    operation: string,
    asked: Asked,
    requestId: () => string,
  ): { readonly answer?: HttpAnswer | undefined; readonly fault?: Fault | undefined } {
    const standing = (): Standing => {
      return { limit: this.#options.rateLimit, now: this.clock.now(), requestId: requestId(), method: asked.method };
    };
    try {
      const preferred = preferredError(asked.header("prefer"), operation);
      if (preferred !== undefined) return { answer: preferredAnswer(preferred.error, preferred.applied, standing()) };
    } catch (error) {
      return { answer: errorAnswer(error, requestId()) };
    }
    const fault = this.faults.take(operation);
    if (fault?.answer === undefined) return { fault };
    return { fault, answer: faultAnswer(fault.answer, fault.retryAfter ?? 1, standing()) };
  }

  async #controlled(asked: Asked, requestId: string): Promise<HttpAnswer> {
    try {
      const controlled = { clock: this.clock, faults: this.faults, journal: this.#journal, reset: () => this.reset() };
      const { headers, ...answer } = await control(controlled, asked);
      return { ...answer, headers: { ...commonHeaders(requestId), ...headers } };
    } catch (error) {
      return errorAnswer(error, requestId);
    }
  }
}

/** Undefined where it cannot be read, which the API will say. */
function addressOf(asked: Asked): Address | undefined {
  try {
    return asked.address();
  } catch {
    return undefined;
  }
}

function operationOf(method: string, pathname: string): string | null {
  try {
    const match = router.match(method, pathname);
    return "endpoint" in match ? match.endpoint.name : null;
  } catch {
    return null;
  }
}

/** Whether so much time has passed, and the world is still there. */
function passed(ms: number, ending: AbortSignal): Promise<boolean> {
  return wait(ms, true, { signal: ending }).catch(() => false);
}

/** As a client sees it whose connection ends. Over HTTP it does, and nobody is there to read what is answered. */
function dropped({ incoming }: Transport): HttpAnswer {
  if (incoming instanceof IncomingMessage) {
    incoming.socket.destroy();
    return { status: 500, headers: {}, body: null };
  }
  const cause = Object.assign(new Error("The connection was dropped, as a test has planned."), { code: "ECONNRESET" });
  throw new TypeError("fetch failed", { cause });
}
