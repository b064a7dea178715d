import { readFileSync } from "node:fs";
import {
  type ApiOptions,
  createApi,
  type Endpoint,
  type RateLimiter,
  StorageUnavailable,
  signAdminToken,
} from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { type Result, type Sent, sendUnchecked, sequentialIds, TestClock } from "../../test/harness.ts";
import { storageWith } from "../../test/storage-with.ts";
import { type Edits, edited } from "../../test/tenant-file-edit.ts";
import type { ErrorName } from "./errors.ts";

/** What was sent, and what the real API over the demo tenant answered. Every run gives the same. */
export type Recorded = { readonly sent: unknown; readonly result: Result };

const demo: unknown = JSON.parse(readFileSync(new URL("../../fixtures/demo.json", import.meta.url), "utf8"));
const tenantId = "01943aa0-bc00-7f06-b989-aece882520fc";
const administrator = "01943aa2-bd4a-7513-bffe-033db0871959";
const keys = {
  all: "crm_test_Bpd6kU8B_wkwWcQxCC8GbBuvICmPbiFaziyqoS0vzj2g2RV6KN8D4MoqA7",
  tasksOnly: "crm_test_NqDoqYIm_62YY7tP2GMvxjyhNSXpsWjyUETeEKelaqATbTAx9RIU2aYJqt",
};
const adminAuth = { issuer: "crm", audience: "crm-admin", secret: new Uint8Array(32).fill(7) };
const now = Date.parse("2026-11-02T09:30:00.000Z");

export type Ask = (method: string, path: string, sent?: Sent) => Promise<Result>;

/** A server whose tenant is the demo tenant with these edits, and a way to ask it as the demo's ERP does. */
export async function demoServer({ edits = {}, failure, options }: Special = {}): Promise<DemoServer> {
  const [clock, ids] = [new TestClock(), sequentialIds()];
  clock.set(now);
  const kept = sqliteStorage({ file: ":memory:" });
  await loadTenantFile(kept, edited(demo, edits), { clock, newId: ids });
  const fail = () => Promise.reject(failure);
  const failing = failure === undefined ? {} : { get: fail, list: fail, findApiKey: fail };
  const storage = storageWith(kept, { cursorSecret: async () => new Uint8Array(32).fill(7), ...failing });
  const random = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => 20 + index);
  const api = createApi({ storage, clock, ids, random, adminAuth, ...options });
  return {
    ask: (method, path, sent = {}) => sendUnchecked(api, method, path, { key: keys.all, ...sent }),
    close: api.close,
  };
}
export type DemoServer = { readonly ask: Ask; close(): Promise<void> };
export type Special = { readonly edits?: Edits; readonly failure?: Error; readonly options?: Partial<ApiOptions> };

/** What the example of every endpoint is answered with: what only reads is asked first, the others in their order. */
export async function recordSuccesses(endpoints: readonly Endpoint[]): Promise<ReadonlyMap<Endpoint, Recorded>> {
  const { ask, close } = await demoServer();
  const recorded = new Map<Endpoint, Recorded>();
  for (const endpoint of endpoints.toSorted((a, b) => Number(b.method === "GET") - Number(a.method === "GET"))) {
    const sent = await exampleOf(endpoint);
    recorded.set(endpoint, { sent: sent.body, result: await ask(endpoint.method, urlOf(endpoint), sent) });
  }
  await close();
  return recorded;
}

/** What the endpoint's example sends beside its url, by a caller who may. */
export async function exampleOf({ access, example = {} }: Endpoint, userId = administrator): Promise<Sent> {
  const body = example.body === undefined ? {} : { body: example.body };
  if (access !== "admin") return body;
  const times = { issuedAt: now / 1000, expiresAt: now / 1000 + 60 };
  const token = await signAdminToken(adminAuth, { tenantId, userId }, times);
  return { ...body, key: null, headers: { authorization: `Bearer ${token}` } };
}

/** The address that the endpoint's example asks. */
export function urlOf({ path, access, example: { params = {}, query = {} } = {} }: Endpoint): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
  return `http://crm.example/integrations${access === "admin" ? "" : "/v1"}${filled}${search}`;
}

const unknown = "0199c0a1-2b3c-7d4e-8f50-617283940a1b";
const completed = "019a5e0b-ab98-72d6-8d69-730863565dfa";
const create = (path: string, body: unknown) => (ask: Ask) => ask("POST", path, { body });
const read = (path: string, sent?: Sent) => (ask: Ask) => ask("GET", path, sent);

/** A request for every error there is. */
const refusals: Readonly<Record<ErrorName, (ask: Ask) => Promise<Result>>> = {
  "400 bad_request": (ask) => ask("POST", "/tasks", { raw: '{ "title": "Call Åsa' }),
  "400 validation_error": read("/tasks?limit=500&updatedSince=yesterday&statsu=pending"),
  "400 invalid_cursor": read("/tasks?cursor=AbCdEf"),
  "401 unauthorized": read("/tasks", { key: null }),
  "403 insufficient_scope": read("/accounts", { key: keys.tasksOnly }),
  "404 not_found": read(`/tasks/${unknown}`),
  "409 duplicate": create("/accounts", { name: "CAFÉ LINDQVIST AB", customFields: { segment: "SMB" } }),
  "409 conflict": (ask) => ask("PATCH", `/tasks/${completed}`, { body: { status: "canceled" } }),
  "409 tenant_without_admin": create("/contacts", { name: "Maja Lindqvist" }),
  "412 conflict": (ask) =>
    ask("PATCH", `/tasks/${completed}`, {
      body: { priority: "high" },
      headers: { "if-match": '"2026-10-19T13:29:53.614Z"' },
    }),
  "413 bad_request": create("/tasks", { title: "Call Åsa", description: "x".repeat(1024 * 1024) }),
  "415 bad_request": (ask) => ask("POST", "/tasks", { raw: "title=Call", headers: { "content-type": "text/plain" } }),
  "422 validation_error": create("/accounts", { name: "Nordlys Roasters AS" }),
  "422 invalid_reference": create("/tasks", { title: "Call Åsa", assignedTo: unknown }),
  "422 unknown_custom_field": create("/accounts", { name: "Nordlys AS", customFields: { segment: "SMB", site: 2 } }),
  "422 invalid_custom_field": create("/accounts", { name: "Nordlys AS", customFields: { segment: "Enterprize" } }),
  "422 idempotency_key_reused": async (ask) => {
    const headers = { "idempotency-key": unknown };
    await ask("POST", "/tasks", { headers, body: { title: "Call Åsa" } });
    return ask("POST", "/tasks", { headers, body: { title: "Call Maja" } });
  },
  "429 rate_limited": read("/tasks"),
  "500 internal_error": read("/tasks"),
  "503 internal_error": read("/tasks"),
};

export const refusing: RateLimiter = {
  take: async () => ({ accepted: false, limit: 300, remaining: 0, resetMs: 42_000, retryMs: 11_400 }),
};
/** What is wrong with the server or the tenant where the request itself is right. */
const specials: Partial<Record<ErrorName, Special>> = {
  "409 tenant_without_admin": { edits: { "/users/0/role": "member", "/users/1/role": "member" } },
  "429 rate_limited": { options: { rateLimiter: refusing } },
  "500 internal_error": { failure: new Error("a fault") },
  "503 internal_error": { failure: new StorageUnavailable("the disk is full") },
};

/** What every error looks like. */
export async function recordErrors(): Promise<ReadonlyMap<ErrorName, Result>> {
  const plain = await demoServer();
  const recorded = new Map<ErrorName, Result>();
  for (const [name, refuse] of Object.entries(refusals) as [ErrorName, (typeof refusals)[ErrorName]][]) {
    const server = specials[name] === undefined ? plain : await demoServer(specials[name]);
    recorded.set(name, await refuse(server.ask));
    if (server !== plain) await server.close();
  }
  await plain.close();
  return recorded;
}
