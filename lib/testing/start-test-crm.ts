import { type Client, createClient } from "../client/index.ts";
import { serve } from "../http/index.ts";
import { basePath } from "../http/paths.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import type { Faults } from "./faults.ts";
import { FixtureApi, fixtureHeaders, type Snapshot } from "./fixture-api.ts";
import type { JournalEntry } from "./request-journal.ts";
import { type NamedTenantFile, readTenantFiles } from "./tenant-files.ts";
import { TestClock, type TimeInput } from "./test-clock.ts";

export type TestCrmOptions = {
  /** Names of tenant files that come along, paths of others, or their content; "minimal" where it is absent. */
  readonly fixtures?: string | object | readonly (string | object)[];
  /** Where the clock stands: 2027-01-04T09:00:00Z where it is absent, after all that the files that come along tell of. */
  readonly now?: TimeInput;
  /** On 127.0.0.1; a free one where it is absent, and then the process does not wait for the server to be closed. */
  readonly port?: number;
  /** Requests a minute per key. As good as none where it is absent: by the clock of a test, no minute ever passes. */
  readonly rateLimit?: number;
};

/** A CRM of one test's own. */
export type TestCrm = {
  /** Where it serves, for who needs HTTP. */
  readonly url: string;
  /** Ends in `/integrations/v1`. */
  readonly baseUrl: string;
  /** Asks it without a network. A path is taken as one of this server. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Every API key of the tenant files, in their order. */
  readonly keys: LoadedTenant["keys"];
  /** With the first key that may do most. It asks without a network and never waits: the clock goes on instead. */
  readonly client: Client;
  readonly clock: TestClock;
  readonly faults: Pick<Faults, "add" | "clear" | "pending">;
  /** What was received since the start or the last reset, the oldest first. */
  readonly requests: readonly JournalEntry[];
  /** Back to the beginning: records, ids, clock, rates; faults and requests are forgotten. */
  reset(): Promise<void>;
  snapshot(): Snapshot;
  /** As `reset`, to how everything was then. */
  restore(snapshot: Snapshot): Promise<void>;
  close(): Promise<void>;
};

const nowDefault = "2027-01-04T09:00:00.000Z";
const rateLimitDefault = 1_000_000;

/** Starts the real engine over tenant files in memory; ids, keys and times are the same in every run. @throws TenantFileError */
export async function startTestCrm(options: TestCrmOptions = {}): Promise<TestCrm> {
  const { fixtures = "minimal", now = nowDefault, port = 0, rateLimit = rateLimitDefault } = options;
  const clock = new TestClock(now);
  const files = [fixtures].flat().flatMap(filesOf);
  if (files.length === 0) throw new TypeError('fixtures names no tenant file; left out, it is "minimal".');
  const crm = await FixtureApi.open({ files, clock, rateLimit });
  const server = await serve(crm, { host: "127.0.0.1", port, headers: fixtureHeaders, drainMs: 0 });
  if (options.port === undefined) {
    server.server.unref();
    server.server.on("connection", (socket) => socket.unref());
  }
  const { url } = server;
  const baseUrl = url + basePath;
  const fetch: TestCrm["fetch"] = (target, init) => {
    const request = new Request(target instanceof Request ? target : new URL(target, url), init);
    return orAborted(crm.fetch(request), request.signal);
  };
  const keys = crm.loaded.flatMap((tenant) => tenant.keys);
  const apiKey = bestOf(keys)?.key ?? "";
  return {
    url,
    baseUrl,
    fetch,
    keys,
    client: createClient({ baseUrl, apiKey, fetch, wait: async (ms) => letPass(clock, ms) }),
    clock,
    faults: crm.faults,
    get requests() {
      return crm.requests;
    },
    reset: () => crm.reset(),
    snapshot: () => crm.snapshot(),
    restore: (snapshot) => crm.restore(snapshot),
    async close() {
      await Promise.all([server.close(), crm.close()]);
    },
  };
}

function filesOf(source: string | object): readonly NamedTenantFile[] {
  return typeof source === "string" ? readTenantFiles(source) : [{ name: "fixtures", content: source }];
}

function bestOf(keys: LoadedTenant["keys"]): LoadedTenant["keys"][number] | undefined {
  const live = keys.filter(({ revoked }) => !revoked);
  return live.toSorted((a, b) => b.scopes.length - a.scopes.length)[0];
}

/** What the service said, in whole seconds, passes. What the client has diced would make each run another. */
function letPass(clock: TestClock, ms: number): void {
  if (ms % 1000 === 0) clock.advance(ms);
}

/** The server goes on with what it has begun; who asked does not wait for it. */
async function orAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
