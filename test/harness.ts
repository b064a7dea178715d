import type { Asked } from "../lib/http/asked.ts";
import { type Api, type ApiOptions, type Clock, createApi, type Storage } from "../lib/index.ts";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { loadTenantFile } from "../lib/tenant-file/index.ts";
import { assertDescribed, described, parsed } from "./described.ts";
import { type Tenant, tenantFile } from "./tenants.ts";

/** A clock that stands still until it is told to move. */
export class TestClock implements Clock {
  #now = Date.parse("2026-03-01T12:00:00.000Z");
  #monotonic = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Both clocks go on, as they do when time passes. */
  advance(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  /** The wall clock alone jumps, as it does when it is set. */
  set(now: number): void {
    this.#now = now;
  }
}

/** What came back, whole: the JSON where there is some. */
export type Result = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
};

export type Sent = {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it is in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
};

export type TestCrm = {
  readonly api: Api;
  readonly storage: Storage;
  readonly clock: TestClock;
  /** `send("GET", "/tasks?limit=1", { key })`; the path is relative to the base url. */
  send(method: string, path: string, sent?: Sent): Promise<Result>;
};

export const baseUrl = "http://crm.test/integrations/v1";

/** The real engine on SQLite in memory, with the tenants that are asked for and ids that count up. */
export async function testCrm(tenants: readonly Tenant[], options: Partial<ApiOptions> = {}): Promise<TestCrm> {
  const clock = new TestClock();
  const storage = options.storage ?? sqliteStorage({ file: ":memory:" });
  const ids = options.ids ?? countingIds();
  for (const tenant of tenants) await loadTenantFile(storage, tenantFile(tenant), { clock, newId: ids });
  const api = createApi({ clock, ids, ...options, storage });
  const checked: Api = {
    ...api,
    answer: async (asked, transport) => {
      const answer = await api.answer(asked, transport);
      const url = urlAsked(asked);
      await described({ method: asked.method, url }, new Response(answer.body, answer));
      return answer;
    },
    fetch: async (request, transport) => {
      const { method, url } = request;
      return described({ method, url }, await api.fetch(request, transport));
    },
  };
  return { api: checked, storage, clock, send: (method, path, sent) => send(api, method, path, sent) };
}

/** Where an address cannot be read, there is none to be found in the description. */
function urlAsked(asked: Asked): string {
  try {
    const { pathname, search } = asked.address();
    return `http://crm.test${pathname}${search}`;
  } catch {
    return "http://crm.test/";
  }
}

/** Uuids of version 7 that count up, so that a failing run shows the same ids again. */
export function countingIds(): () => string {
  let count = 0;
  return () => `01950000-0000-7000-8000-${(++count).toString(16).padStart(12, "0")}`;
}

/** What came back, which must be what docs/openapi.json describes. */
export async function send(api: Pick<Api, "fetch">, method: string, path: string, sent: Sent = {}): Promise<Result> {
  const result = await sendUnchecked(api, method, path, sent);
  const body = sent.raw === undefined ? sent.body : parsed(sent.raw);
  assertDescribed({ method, url: urlOf(path), sent: body, ...result });
  return result;
}

export async function sendUnchecked(
  api: Pick<Api, "fetch">,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Result> {
  const headers = new Headers(sent.headers);
  if (sent.key) headers.set("x-api-key", sent.key);
  const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  // A Request cannot carry the body of a GET: the transport brings it beside.
  const beside = method === "GET" && body !== undefined ? { body: bytesOf(body) } : {};
  const init = { method, headers, ...(body === undefined || method === "GET" ? {} : { body }) };
  const response = await api.fetch(new Request(urlOf(path), init), beside);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

async function* bytesOf(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === "string" ? new TextEncoder().encode(body) : body;
}

function urlOf(path: string): string {
  return path.startsWith("http") ? path : baseUrl + path;
}
