import { readFileSync } from "node:fs";
import { eventSchema } from "../../lib/api/event-feed.ts";
import { internals } from "../../lib/http/create-api.ts";
import {
  type ApiOptions,
  createApi,
  type Endpoint,
  type RateLimiter,
  type RequestEntry,
  StorageUnavailable,
  type SystemTools,
  signAdminToken,
  wrapStorage,
} from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { type Result, type Sent, sendUnchecked, sequentialIds, TestClock } from "../../test/support/harness.ts";
import { type Edits, edited } from "../../test/support/tenant-file-edit.ts";
import { addWebhooks, completedTaskId } from "./demo-webhooks.ts";
import type { ErrorName } from "./errors.ts";

/** A request body and the response of the API with the demo tenant. Identical in each run. */
export type Recording = { readonly sentBody: unknown; readonly result: Result };

const demo: unknown = JSON.parse(readFileSync(new URL("../../fixtures/demo.json", import.meta.url), "utf8"));
const tenantId = "01943aa0-bc00-7f06-b989-aece882520fc";
const adminId = "01943aa2-bd4a-7513-bffe-033db0871959";
const keys = {
  all: "crm_test_Bpd6kU8B_wkwWcQxCC8GbBuvICmPbiFaziyqoS0vzj2g2RV6KN8D4MoqA7",
  tasksOnly: "crm_test_NqDoqYIm_62YY7tP2GMvxjyhNSXpsWjyUETeEKelaqATbTAx9RIU2aYJqt",
};
const adminAuth = { issuer: "crm", audience: "crm-admin", secret: new Uint8Array(32).fill(7) };
const now = Date.parse("2026-11-02T09:30:00.000Z");

/** The state of a server with one tenant. */
const system: SystemTools = {
  status: async () => ({
    version: "1.0.0",
    startedAt: now - 3_600_000,
    problems: [],
    database: { bytes: 1_245_184, freeBytes: 48_103_424_000 },
    backups: { isRunning: false, lastAt: now - 1_800_000, lastBytes: 1_212_416, error: null },
    requests: [{ at: now - 120_000, count: 12, clientErrors: 1, serverErrors: 0, durationMs: 54 }],
  }),
  startBackup: async () => true,
};

export type Send = (method: string, path: string, sent?: Sent) => Promise<Result>;

/** The examples of request bodies have no custom fields, so that they succeed with every tenant that requires none. */
const withoutRequiredFields: Edits = { "/customFields/0/required": false };

/**
 * Starts an API with the demo tenant, which requires no custom field here. Requests have an API key with all scopes
 * unless they set another one.
 */
export async function demoServer({
  edits = {},
  failure,
  listFailure,
  options,
  search,
}: DemoOptions = {}): Promise<DemoServer> {
  const [clock, ids] = [new TestClock(), sequentialIds()];
  clock.set(now);
  const tenantStorage = sqliteStorage({ file: ":memory:", search });
  await loadTenantFile(tenantStorage, edited(demo, { ...withoutRequiredFields, ...edits }), { clock, newId: ids });
  await addWebhooks(tenantStorage, tenantId, now);
  const fail = () => Promise.reject(failure);
  const failing = failure === undefined ? {} : { get: fail, list: fail, findApiKey: fail };
  const failingLists = listFailure === undefined ? {} : { listJson: () => Promise.reject(listFailure) };
  const cursorSecret = async () => new Uint8Array(32).fill(7);
  const storage = wrapStorage(tenantStorage, { cursorSecret, ...failing, ...failingLists });
  const random = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => 20 + index);
  const api = createApi({ storage, clock, ids, random, adminAuth, system, webhooks, ...options });
  return {
    findRequests: (requestId) => api[internals].context.requestLog.find(tenantId, { requestId, limit: 2 }),
    send: (method, path, sent = {}) => sendUnchecked(api, method, path, { key: keys.all, ...sent }),
    close: api.close,
  };
}
export type DemoServer = {
  readonly send: Send;
  /** Returns the entries of the request log with a request ID. */
  findRequests(requestId: string): Promise<readonly RequestEntry[]>;
  close(): Promise<void>;
};

/** Responds to messages without a network. */
const webhooks = { fetch: async () => ({ status: 204 }) };

export type DemoOptions = {
  /** Changes of the demo tenant. */
  readonly edits?: Edits;
  /** An error that the storage throws. */
  readonly failure?: Error;
  /** An error that the storage throws only for lists of JSON. */
  readonly listFailure?: Error;
  readonly options?: Partial<ApiOptions>;
  readonly search?: boolean;
};

/** Sends the example request of each endpoint. GET requests come first, so that they see the unchanged tenant. */
export async function recordSuccesses(endpoints: readonly Endpoint[]): Promise<ReadonlyMap<Endpoint, Recording>> {
  const { send, close } = await demoServer();
  // A pipeline can only be archived without open opportunities, and every pipeline of the demo tenant has some.
  const unused = await demoServer({ edits: { "/opportunities": [], "/tasks": [], "/notes": [] } });
  const changed = await changedServer(endpoints);
  const recordings = new Map<Endpoint, Recording>();
  await sendLoggedRequest(send);
  // The other examples need the webhook.
  const rank = ({ method, name }: Endpoint) => (method === "GET" ? 0 : /rchiveWebhook$/.test(name) ? 2 : 1);
  for (const endpoint of endpoints.toSorted((a, b) => rank(a) - rank(b))) {
    const request = await exampleRequest(endpoint);
    const isAboutEvents = endpoint.success.data === eventSchema;
    const server = endpoint.name === "adminArchivePipeline" ? unused : isAboutEvents ? changed : { send };
    const result = await server.send(endpoint.method, exampleUrl(endpoint), request);
    recordings.set(endpoint, { sentBody: request.body, result });
  }
  await Promise.all([close(), unused.close(), changed.close()]);
  return recordings;
}

/** Starts a server that has run the example of each PATCH, so that there are events. */
async function changedServer(endpoints: readonly Endpoint[]): Promise<DemoServer> {
  const server = await demoServer();
  for (const endpoint of endpoints.filter(({ method }) => method === "PATCH"))
    await server.send(endpoint.method, exampleUrl(endpoint), await exampleRequest(endpoint));
  return server;
}

/** Sends the request that the examples of the request log show. */
export function sendLoggedRequest(send: Send): Promise<Result> {
  const body = { name: "Nordlys Roasters AS", customFields: { segment: "Enterprize" } };
  return send("POST", "/accounts", { body, headers: { "x-request-id": unknownId } });
}

/** Returns the body of an endpoint's example, and an admin token if the endpoint requires one. */
export async function exampleRequest({ access, example = {} }: Endpoint, userId = adminId): Promise<Sent> {
  const body = example.body === undefined ? {} : { body: example.body };
  if (access !== "admin") return body;
  const times = { issuedAt: now / 1000, expiresAt: now / 1000 + 60 };
  const token = await signAdminToken(adminAuth, { tenantId, userId }, times);
  return { ...body, key: null, headers: { authorization: `Bearer ${token}` } };
}

/** Returns the URL of an endpoint's example. */
export function exampleUrl({ path, access, example: { params = {}, query = {} } = {} }: Endpoint): string {
  const filledPath = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
  return `http://crm.example/integrations${access === "admin" ? "" : "/v1"}${filledPath}${search}`;
}

const unknownId = "0199c0a1-2b3c-7d4e-8f50-617283940a1b";
const post = (path: string, body: unknown) => (send: Send) => send("POST", path, { body });
const get = (path: string, sent?: Sent) => (send: Send) => send("GET", path, sent);

type ErrorRequest = (send: Send) => Promise<Result>;

/** A request that causes the error, for each error. */
const errorRequests: Readonly<Record<ErrorName, ErrorRequest>> = {
  "400 bad_request": (send) => send("POST", "/tasks", { raw: '{ "title": "Call Åsa' }),
  "400 validation_error": get("/tasks?limit=500&updatedSince=yesterday&statsu=pending"),
  "400 invalid_cursor": get("/tasks?cursor=AbCdEf"),
  "401 unauthorized": get("/tasks", { key: null }),
  "403 insufficient_scope": get("/accounts", { key: keys.tasksOnly }),
  "404 not_found": get(`/tasks/${unknownId}`),
  "409 duplicate": post("/accounts", { name: "CAFÉ LINDQVIST AB", customFields: { segment: "SMB" } }),
  "409 conflict": (send) =>
    send("PATCH", `/tasks/${completedTaskId}`, { body: { priority: "high", updatedAt: "2026-10-19T13:29:53.614Z" } }),
  "409 tenant_without_admin": post("/contacts", { name: "Maja Lindqvist" }),
  "412 conflict": (send) =>
    send("PATCH", `/tasks/${completedTaskId}`, {
      body: { priority: "high" },
      headers: { "if-match": '"2026-10-19T13:29:53.614Z"' },
    }),
  "413 bad_request": post("/tasks", { title: "Call Åsa", description: "x".repeat(1024 * 1024) }),
  "415 bad_request": (send) => send("POST", "/tasks", { raw: "title=Call", headers: { "content-type": "text/plain" } }),
  "422 validation_error": post("/accounts", { name: "Nordlys Roasters AS" }),
  "422 invalid_reference": post("/tasks", { title: "Call Åsa", assignedTo: unknownId }),
  "422 unknown_custom_field": post("/accounts", { name: "Nordlys AS", customFields: { segment: "SMB", site: 2 } }),
  "422 invalid_custom_field": post("/accounts", { name: "Nordlys AS", customFields: { segment: "Enterprize" } }),
  "422 idempotency_key_reused": async (send) => {
    const headers = { "idempotency-key": unknownId };
    await send("POST", "/tasks", { headers, body: { title: "Call Åsa" } });
    return send("POST", "/tasks", { headers, body: { title: "Call Maja" } });
  },
  "429 rate_limited": get("/tasks"),
  "500 internal_error": get("/tasks"),
  "503 internal_error": get("/tasks"),
};

export const rejectingRateLimiter: RateLimiter = {
  take: async () => ({ accepted: false, limit: 300, remaining: 0, resetMs: 42_000, retryMs: 11_400 }),
};

/** Setups for the errors that a request alone can't cause. */
const errorSetups: Partial<Record<ErrorName, DemoOptions>> = {
  "409 tenant_without_admin": { edits: { "/users/0/role": "member", "/users/1/role": "member" } },
  "429 rate_limited": { options: { rateLimiter: rejectingRateLimiter } },
  "500 internal_error": { failure: new Error("a fault") },
  "503 internal_error": { failure: new StorageUnavailable("the disk is full") },
};

/** Returns a response for each error. */
export async function recordErrors(): Promise<ReadonlyMap<ErrorName, Result>> {
  const sharedServer = await demoServer({ edits: { "/customFields/0/required": true } });
  const results = new Map<ErrorName, Result>();
  for (const [name, request] of Object.entries(errorRequests) as [ErrorName, ErrorRequest][]) {
    const server = errorSetups[name] === undefined ? sharedServer : await demoServer(errorSetups[name]);
    results.set(name, await request(server.send));
    if (server !== sharedServer) await server.close();
  }
  await sharedServer.close();
  return results;
}
