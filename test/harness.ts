import type { Asked } from "../lib/http/asked.ts";
import { type Api, type ApiOptions, createApi, type Storage } from "../lib/index.ts";
import { loadTenantFile } from "../lib/tenant-file/index.ts";
import { countingIds } from "../lib/testing/counting.ts";
import { TestClock } from "../lib/testing/test-clock.ts";
import { assertDescribed, described, parsed } from "./described.ts";
import { freshStorage } from "./storages.ts";
import { type Tenant, tenantFile } from "./tenants.ts";

export { countingIds, TestClock };

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
  const storage = options.storage ?? (await freshStorage());
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
