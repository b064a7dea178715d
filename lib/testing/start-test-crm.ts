import { type Client, createClient } from "../client/index.ts";
import { serve } from "../http/index.ts";
import { basePath } from "../http/paths.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import type { Faults } from "./faults.ts";
import { FixtureApi, fixtureHeaders, type Snapshot } from "./fixture-api.ts";
import type { JournalEntry } from "./request-journal.ts";
import { type NamedTenantFile, readTenantFiles } from "./tenant-files.ts";
import { TestClock, type TimeInput } from "./test-clock.ts";
import { type SentWebhook, TestWebhooks, type WebhookFault, type WebhookReceiver } from "./test-webhooks.ts";

export type TestCrmOptions = {
  /** Names of bundled tenant files, paths of others, or their content. The default is "minimal". */
  readonly fixtures?: string | object | readonly (string | object)[];
  /** The initial time. The default is 2027-01-04T09:00:00Z, which is later than every time in the bundled files. */
  readonly now?: TimeInput;
  /** A port of 127.0.0.1. The default is a free port; then the server doesn't keep the process alive. */
  readonly port?: number;
  /** Requests per minute and API key. The default is 1,000,000, because the test clock doesn't advance. */
  readonly rateLimit?: number;
  /** Receives the webhook messages. The default responds with 204. */
  readonly webhookReceiver?: WebhookReceiver;
};

/** A CRM for one test. */
export type TestCrm = {
  /** The URL of the server, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The URL that ends in `/integrations/v1`. */
  readonly baseUrl: string;
  /** Sends a request without a network. A relative URL refers to this server. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The API keys of the tenant files, in the order of the files. */
  readonly keys: LoadedTenant["keys"];
  /**
   * A client with the API key that has the most scopes. It uses no network. Before a retry it advances the clock
   * instead of waiting.
   */
  readonly client: Client;
  readonly clock: TestClock;
  readonly faults: Pick<Faults, "add" | "clear" | "pending">;
  readonly webhooks: {
    /** Sends all messages that are due, also those of earlier failures. Advance the clock for later attempts. */
    deliver(): Promise<void>;
    /** The messages since the start or the last reset, oldest first. */
    readonly sent: readonly SentWebhook[];
    /** Adds a fault of a receiver. */
    addFault(fault: WebhookFault): void;
  };
  /** The requests since the start or the last reset, oldest first. */
  readonly requests: readonly JournalEntry[];
  /**
   * Waits until the last use of each API key is recorded, which happens after the response. Await it before `snapshot`.
   */
  idle(): Promise<void>;
  /** Restores the initial records, IDs, wall clock and rate limits. Clears the faults and the requests. */
  reset(): Promise<void>;
  snapshot(): Snapshot;
  /** Restores a snapshot, as `reset` restores the initial state. */
  restore(snapshot: Snapshot): Promise<void>;
  close(): Promise<void>;
};

const defaultNow = "2027-01-04T09:00:00.000Z";
const defaultRateLimit = 1_000_000;

/**
 * Starts the real API over tenant files in memory. IDs, API keys and times are the same in every run.
 * @throws TenantFileError
 */
export async function startTestCrm(options: TestCrmOptions = {}): Promise<TestCrm> {
  const { fixtures = "minimal", now = defaultNow, port = 0, rateLimit = defaultRateLimit } = options;
  const clock = new TestClock(now);
  const files = [fixtures].flat().flatMap(filesOf);
  if (files.length === 0)
    throw new TypeError('fixtures is empty. Name a tenant file, or omit fixtures to use "minimal".');
  const webhooks = new TestWebhooks(options.webhookReceiver);
  const crm = await FixtureApi.open({ files, clock, rateLimit, api: { webhooks: { fetch: webhooks.fetch } } });
  const server = await serve(crm, { host: "127.0.0.1", port, headers: fixtureHeaders, drainMs: 0 });
  if (options.port === undefined) {
    server.server.unref();
    server.server.on("connection", (socket) => socket.unref());
  }
  const { url } = server;
  const baseUrl = url + basePath;
  const fetch: TestCrm["fetch"] = (target, init) => {
    const request = new Request(target instanceof Request ? target : new URL(target, url), init);
    return rejectOnAbort(crm.fetch(request), request.signal);
  };
  const keys = crm.loaded.flatMap((tenant) => tenant.keys);
  const apiKey = mostPowerfulKey(keys)?.key ?? "";
  return {
    url,
    baseUrl,
    fetch,
    keys,
    client: createClient({ baseUrl, apiKey, fetch, wait: async (ms) => advanceWholeSeconds(clock, ms) }),
    clock,
    faults: crm.faults,
    webhooks: {
      deliver: () => crm.deliverDueWebhooks(),
      sent: webhooks.sent,
      addFault: (fault) => webhooks.addFault(fault),
    },
    get requests() {
      return crm.requests;
    },
    idle: () => crm.idle(),
    reset() {
      webhooks.clear();
      return crm.reset();
    },
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

function mostPowerfulKey(keys: LoadedTenant["keys"]): LoadedTenant["keys"][number] | undefined {
  const active = keys.filter(({ revoked }) => !revoked);
  return active.toSorted((a, b) => b.scopes.length - a.scopes.length)[0];
}

/** Advances the clock by a delay from `Retry-After`. Random delays would make every run different. */
function advanceWholeSeconds(clock: TestClock, ms: number): void {
  if (ms % 1000 === 0) clock.advance(ms);
}

/** Rejects when the signal aborts. The server still completes the request. */
async function rejectOnAbort(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([response, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
