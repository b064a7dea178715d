import { readBody } from "../../lib/http/body.ts";
import { type Api, type ApiOptions, createApi, type HttpResponse, type Storage } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds } from "../../lib/testing/deterministic-ids.ts";
import { TestClock } from "../../lib/testing/test-clock.ts";
import { assertDescribed, described, parsed } from "./described.ts";
import { freshStorage } from "./storages.ts";
import { type Tenant, tenantFile } from "./tenants.ts";

export { sequentialIds, TestClock };

/** A response. `body` is the parsed JSON, undefined if the text is empty. */
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
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
};

export type TestCrm = {
  readonly api: Api;
  readonly storage: Storage;
  readonly clock: TestClock;
  /** Sends a request: `send("GET", "/tasks?limit=1", { key })`. The path is relative to `baseUrl`. */
  send(method: string, path: string, sent?: Sent): Promise<Result>;
};

export const baseUrl = "http://crm.test/integrations/v1";

/** Opens an API on the storage of this run, with these tenants and IDs that count up. */
export async function testCrm(tenants: readonly Tenant[], options: Partial<ApiOptions> = {}): Promise<TestCrm> {
  const clock = new TestClock();
  const storage = options.storage ?? (await freshStorage());
  const ids = options.ids ?? sequentialIds();
  for (const tenant of tenants) await loadTenantFile(storage, tenantFile(tenant), { clock, newId: ids });
  const api = createApi({ clock, ids, ...options, storage });
  const checked: Api = {
    ...api,
    fetch: async (request, env) => {
      const { method, url } = request;
      const { transport } = env ?? {};
      if (transport === undefined) return described({ method, url }, await api.fetch(request, env));
      const checks: Promise<unknown>[] = [];
      const send: typeof transport.send = (response) => {
        checks.push(described({ method, url }, new Response(method === "HEAD" ? null : response.body, response)));
        transport.send(response);
      };
      const sent = await api.fetch(request, { ...env, transport: { ...transport, send } });
      await Promise.all(checks);
      return sent;
    },
  };
  return { api: checked, storage, clock, send: (method, path, sent) => send(api, method, path, sent) };
}

/** Sends a request. Asserts that the exchange matches docs/openapi.json. */
export async function send(api: Pick<Api, "fetch">, method: string, path: string, sent: Sent = {}): Promise<Result> {
  const result = await sendUnchecked(api, method, path, sent);
  const body = sent.raw === undefined ? sent.body : parsed(sent.raw);
  assertDescribed({ method, url: urlOf(path), sent: body, ...result });
  return result;
}

/** Sends a request. */
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
  // A Request can't carry the body of a GET, but the transport of a server can.
  if (method === "GET" && body !== undefined) return getWithBody(api, new Request(urlOf(path), { headers }), body);
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await api.fetch(new Request(urlOf(path), init));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

async function getWithBody(
  api: Pick<Api, "fetch">,
  request: Request,
  sent: string | Uint8Array<ArrayBuffer>,
): Promise<Result> {
  const response = Promise.withResolvers<HttpResponse>();
  const transport = {
    readBody: () => readBody(new Request(request.url, { method: "POST", body: sent })),
    send: response.resolve,
  };
  await api.fetch(request, { transport });
  const { status, headers, body } = await response.promise;
  const text = String(body ?? "");
  return { status, headers: new Headers(headers), text, body: text === "" ? undefined : JSON.parse(text) };
}

function urlOf(path: string): string {
  return path.startsWith("http") ? path : baseUrl + path;
}
