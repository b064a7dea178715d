import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ApiOptions, RequestSummary } from "../../../lib/index.ts";
import { wrapStorage } from "../../../lib/index.ts";
import { gatedStorage } from "../../support/gated-storage.ts";
import { testCrm } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const integration = { tenantId: one.id, integrationId: one.integration, userId: null };
const anonymous = { tenantId: null, integrationId: null, keyId: null, userId: null };
const sent = { method: "GET", dryRun: false, source: "http", traceId: null, remoteAddress: null } as const;
const routes: Readonly<Record<string, string>> = {
  listContacts: "/contacts",
  createTask: "/tasks",
  getTask: "/tasks/:id",
  getMe: "/me",
  getOpenApi: "/openapi.json",
};
const summaryOf = (
  requestId: string,
  operation: string | null,
  status: number,
  code: RequestSummary["code"] = null,
) => {
  const route = operation === null ? null : (routes[operation] ?? "");
  return { ...sent, requestId, route, path: route, operation, status, code, durationMs: 0, replayed: false };
};

async function crmWith(t: TestContext, options: Partial<ApiOptions> = {}) {
  const summaries: RequestSummary[] = [];
  const crm = await testCrm([one], { onRequest: (summary) => void summaries.push(summary), ...options });
  t.after(() => crm.api.close());
  const get = (id: string, path: string, sentKey = key) =>
    crm.send("GET", path, { key: sentKey, headers: { "x-request-id": id } });
  return { ...crm, summaries, get };
}

test("onRequest is called once per request with operation, caller and result, without the content", async (t) => {
  const { send, get, summaries, storage } = await crmWith(t);
  const [known] = await storage.list(one.id, "apiKey", { where: { integrationId: one.integration }, limit: 1 });
  const once = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d51" };
  const post = (id: string) =>
    send("POST", "/tasks", { key, headers: { ...once, "x-request-id": id }, body: { title: "Call" } });
  await get("a", "/contacts?email=ana%40private.example");
  await post("b");
  await post("c");
  await get("d", `/tasks/${one.id}`);
  await get("e", "/me", one.revokedKey);
  await get("f", "/nothing");
  await get("g", "/openapi.json");
  const called = { ...integration, keyId: known?.id };
  assert.deepEqual(summaries, [
    { ...summaryOf("a", "listContacts", 200), ...called, path: "/contacts?email" },
    { ...summaryOf("b", "createTask", 201), ...called, method: "POST" },
    { ...summaryOf("c", "createTask", 201), ...called, method: "POST", replayed: true },
    { ...summaryOf("d", "getTask", 404, "not_found"), ...called, path: `/tasks/${one.id}` },
    { ...summaryOf("e", "getMe", 401, "unauthorized"), ...anonymous },
    { ...summaryOf("f", null, 404, "not_found"), ...anonymous },
    { ...summaryOf("g", "getOpenApi", 200), ...called },
  ]);
});

test("onRequest has the trace ID of a valid traceparent header, and null for an invalid one", async (t) => {
  const { send, summaries } = await crmWith(t);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const span = "b7ad6b7169203331";
  const zeros = "0".repeat(32);
  const invalid = [
    ...["", "1", `00-${traceId}-${span}`, `00-${traceId.toUpperCase()}-${span}-01`, `00-${zeros}-${span}-01`],
    ...[`00-${traceId}-${"0".repeat(16)}-01`, `ff-${traceId}-${span}-01`, `00-${traceId}-${span}-01-more`],
  ];
  const valid = [`00-${traceId}-${span}-01`, `00-${traceId}-${span}-00`, `01-${traceId}-${span}-01-more`];
  for (const traceparent of [...invalid, ...valid]) await send("GET", "/me", { key, headers: { traceparent } });
  assert.deepEqual(
    summaries.map((summary) => summary.traceId),
    [...invalid.map(() => null), ...valid.map(() => traceId)],
  );
});

test("onRequest has the address that the host passes", async (t) => {
  const { api, summaries } = await crmWith(t);
  await api.fetch(new Request("http://crm.test/integrations/v1/me"), { remoteAddress: "192.0.2.1" });
  assert.equal(summaries[0]?.remoteAddress, "192.0.2.1");
});

test("durationMs is the time from receiving the request to creating its response", async (t) => {
  const authenticate: ApiOptions["authenticate"] = () => {
    clock.advance(250);
    return { tenantId: one.id, scopes: [] };
  };
  const { get, summaries, clock } = await crmWith(t, { authenticate });
  await get("a", "/me");
  assert.deepEqual(summaries, [{ ...summaryOf("a", "getMe", 200), ...anonymous, tenantId: one.id, durationMs: 250 }]);
});

test("onRequest has the API key of a rate-limited caller and none for a failed authentication", async (t) => {
  const full = { take: async () => ({ accepted: false, limit: 1, remaining: 0, resetMs: 1, retryMs: 1 }) };
  const { get, summaries } = await crmWith(t, { rateLimiter: full, authFailureLimiter: full });
  await get("a", "/me");
  await get("b", "/me", "none");
  const keyId = summaries[0]?.keyId;
  assert.equal(typeof keyId, "string");
  assert.deepEqual(summaries, [
    { ...summaryOf("a", "getMe", 429, "rate_limited"), ...integration, keyId },
    { ...summaryOf("b", "getMe", 429, "rate_limited"), ...anonymous },
  ]);
});

test("onRequest is called for internal errors, overload and requests after close", async (t) => {
  const list = () => Promise.reject(new Error("broken"));
  const { storage, shut, open } = gatedStorage(wrapStorage(await freshStorage(), { list }));
  const { api, get, summaries } = await crmWith(t, { storage, maxInFlight: 1 });
  await get("a", "/tasks");
  shut();
  await Promise.all([get("b", "/me"), get("c", "/me").finally(open)]);
  await api.close();
  await get("d", "/me");
  const sorted = summaries.toSorted((x, y) => (x.requestId < y.requestId ? -1 : 1));
  assert.deepEqual(
    sorted.map(({ requestId, operation, status, code }) => [requestId, operation, status, code]),
    [
      ["a", "listTasks", 500, "internal_error"],
      ["b", "getMe", 200, null],
      ["c", "getMe", 503, "internal_error"],
      ["d", null, 503, "internal_error"],
    ],
  );
});

test("a hook that throws is logged and doesn't change the response", async (t) => {
  const logged: unknown[] = [];
  const logger = { error: (fields: unknown, message: string) => void logged.push([fields, message]) };
  const err = new Error("the log is full");
  const onRequest = (): never => {
    throw err;
  };
  const { get } = await crmWith(t, { onRequest, logger });
  assert.equal((await get("a", "/me")).status, 200);
  assert.deepEqual(logged, [[{ err, requestId: "a" }, "onRequest failed"]]);
});
