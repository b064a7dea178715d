import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { ApiOptions, RequestEntry, RequestLog } from "../../../lib/index.ts";
import { memoryRequestLog } from "../../../lib/index.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { one, openCrm, owner, two, unknown } from "../../support/crm.ts";

type Entry = Omit<RequestEntry, "at"> & { readonly at: string };
type Page = { readonly data: readonly Entry[]; readonly nextCursor: string | null };

const { key } = one;

async function openLogged(options: Partial<ApiOptions> = {}) {
  const crm = await openCrm({}, { adminAuth, ...options });
  const admin = adminOf(crm, one.id, owner);
  const list = async (query = "", sentKey = key): Promise<Page> => {
    const result = await crm.send("GET", `/requests${query}`, { key: sentKey });
    assert.equal(result.status, 200, result.text);
    return result.body as Page;
  };
  const post = (body: unknown, id: string, headers = {}) =>
    crm.send("POST", "/tasks", { key, body, headers: { "x-request-id": id, ...headers } });
  return { ...crm, admin, list, post };
}

const idsOf = ({ data }: Page) => data.map(({ requestId }) => requestId);

test("GET /requests explains a failed request without any value of its body", async () => {
  const { post, list, clock } = await openLogged();
  const body = { title: "Secret title", status: "Secret status", tags: [1, 2], relatedTo: { type: "x", id: null } };
  const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  const response = await post(body, "failed-1", headers);
  const { data } = await list();
  const { keyId, at, ...entry } = data[0] ?? assert.fail("no entry");
  const { errors } = (response.body as { error: { details: { errors: { message: string }[] } } }).error.details;
  assert.deepEqual(entry, {
    requestId: "failed-1",
    method: "POST",
    path: "/tasks",
    operation: "createTask",
    status: 400,
    code: "validation_error",
    durationMs: 0,
    integrationId: one.integration,
    userId: null,
    replayed: false,
    dryRun: false,
    source: "http",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    changes: { count: 0, ids: [] },
    problem: {
      step: "shape",
      errors: errors.map(({ message: _, ...error }) => error),
      body: {
        title: "string(12)",
        status: "string(13)",
        tags: "array(2)",
        relatedTo: { type: "string(1)", id: "null" },
      },
    },
  });
  assert.ok(!JSON.stringify(data).includes("Secret"));
  assert.equal(typeof keyId, "string");
  assert.equal(Date.parse(at), clock.now());
});

test("GET /requests has the written records, replays and dry runs, and no successful reads", async () => {
  const { post, list, send, create } = await openLogged();
  const task = await create("/tasks", { title: "Call" });
  await send("GET", `/tasks/${task.id}`, { key });
  await post({ title: "Call" }, "dry", { prefer: "dry-run" });
  const once = { "idempotency-key": randomUUID() };
  const created = (await post({ title: "Call" }, "first", once)).body as { data: { id: string } };
  await post({ title: "Call" }, "second", once);
  await send("PATCH", `/tasks/${task.id}?secret=a&b`, { key, body: {} });
  const { data } = await list();
  assert.deepEqual(
    data.map(({ path, status, replayed, dryRun, changes }) => [path, status, replayed, dryRun, changes]),
    [
      [`/tasks/${task.id}?secret&b`, 400, false, false, { count: 0, ids: [] }],
      ["/tasks", 201, true, false, { count: 0, ids: [] }],
      ["/tasks", 201, false, false, { count: 1, ids: [created.data.id] }],
      ["/tasks", 201, false, true, { count: 0, ids: [] }],
      ["/tasks", 201, false, false, { count: 1, ids: [task.id] }],
    ],
  );
});

test("GET /requests filters by status, code, operation and time, and pages have all entries once", async () => {
  const { post, list, send, clock } = await openLogged();
  for (const id of ["a", "b", "c"]) await post({ title: "Call" }, id);
  await send("GET", `/tasks/${unknown}`, { key, headers: { "x-request-id": "d" } });
  clock.advance(60_000);
  const later = new Date(clock.now()).toISOString();
  await post({}, "e");
  assert.deepEqual(idsOf(await list()), ["e", "d", "c", "b", "a"]);
  assert.deepEqual(idsOf(await list("?status=4xx")), ["e", "d"]);
  assert.deepEqual(idsOf(await list("?status=404")), ["d"]);
  assert.deepEqual(idsOf(await list("?status=5xx")), []);
  assert.deepEqual(idsOf(await list("?code=validation_error")), ["e"]);
  assert.deepEqual(idsOf(await list("?operation=getTask")), ["d"]);
  assert.deepEqual(idsOf(await list(`?since=${later}`)), ["e"]);
  assert.deepEqual(idsOf(await list(`?until=${later}`)), ["d", "c", "b", "a"]);
  const first = await list("?operation=createTask&limit=2");
  assert.deepEqual(idsOf(first), ["e", "c"]);
  const second = await list(`?cursor=${first.nextCursor}`);
  assert.deepEqual([idsOf(second), second.nextCursor], [["b", "a"], null]);
  const wrong = await send("GET", "/requests?status=6xx&code=nonsense&limit=201&operatoin=x", { key });
  const { details } = (wrong.body as { error: { details: { errors: { path: string }[] } } }).error;
  assert.deepEqual(details.errors.map(({ path }) => path).sort(), ["?code", "?limit", "?operatoin", "?status"]);
  const foreign = await send("GET", `/requests?cursor=${first.nextCursor}`, { key: one.readKey });
  assert.equal(foreign.status, 400, foreign.text);
});

test("GET /requests/{requestId} returns all requests with the ID, and 404 if there is none", async () => {
  const { post, send } = await openLogged();
  await post({ title: "Call" }, "same");
  await post({}, "same");
  const found = (await send("GET", "/requests/same", { key })).body as Page;
  assert.deepEqual(
    found.data.map(({ status }) => status),
    [400, 201],
  );
  const missing = await send("GET", "/requests/other", { key });
  assert.match(missing.text, /There is no entry with this request ID/);
  assert.equal(missing.status, 404);
});

test("an integration sees its own requests, an admin those of the tenant, and another tenant none", async () => {
  const crm = await openLogged();
  const { post, send, list, admin } = crm;
  await post({}, "own");
  assert.deepEqual(idsOf(await list("", one.bareKey)), []);
  assert.deepEqual(idsOf(await list("", two.key)), []);
  for (const other of [one.bareKey, two.key])
    assert.equal((await send("GET", "/requests/own", { key: other })).status, 404);
  const all = (await admin("GET", "/admin/requests?status=4xx")).body as Page;
  assert.deepEqual(idsOf(all).includes("own"), true);
  const bare = all.data.find(({ integrationId }) => integrationId !== one.integration) ?? assert.fail("no other entry");
  const filtered = (await admin("GET", `/admin/requests?integrationId=${bare.integrationId}`)).body as Page;
  assert.deepEqual(new Set(filtered.data.map(({ integrationId }) => integrationId)), new Set([bare.integrationId]));
  const single = (await admin("GET", "/admin/requests/own")).body as Page;
  assert.deepEqual(idsOf(single), ["own"]);
  assert.equal((await adminOf(crm, two.id, two.admin)("GET", "/admin/requests/own")).status, 404);
});

test("GET /admin/requests/counts counts all requests by operation, integration, code and hour", async () => {
  const { post, send, admin, clock } = await openLogged();
  for (let i = 0; i < 3; i++) await send("GET", "/tasks", { key });
  await post({}, "a");
  const counts = async (query: string) =>
    ((await admin("GET", `/admin/requests/counts?${query}`)).body as { data: unknown }).data;
  const total = { clientErrors: 0, serverErrors: 0, averageMs: 0, maxMs: 0 };
  assert.deepEqual(await counts("by=operation"), [
    { key: "listTasks", count: 3, ...total },
    { key: "createTask", count: 1, ...total, clientErrors: 1 },
  ]);
  assert.deepEqual(((await counts("by=integration")) as object[])[0], {
    ...{ key: one.integration, count: 4, ...total },
    clientErrors: 1,
  });
  assert.deepEqual(((await counts("by=code")) as object[]).at(-1), {
    key: "validation_error",
    count: 1,
    ...total,
    clientErrors: 1,
  });
  const hour = new Date(clock.now() - (clock.now() % 3_600_000)).toISOString();
  assert.deepEqual(((await counts("by=hour")) as { key: string }[]).at(-1)?.key, hour);
  clock.advance(60_000);
  assert.deepEqual(await counts(`by=integration&since=${new Date(clock.now()).toISOString()}`), []);
});

test("requests of a revoked API key belong to its tenant, and those of an unknown one to none", async () => {
  const { send, list, admin } = await openLogged();
  await send("GET", "/tasks", { key: one.revokedKey, headers: { "x-request-id": "revoked" } });
  await send("GET", "/tasks", { key: "crm_live_unknown", headers: { "x-request-id": "unknown" } });
  const { data } = (await admin("GET", "/admin/requests")).body as Page;
  const [entry] = data.filter(({ status }) => status === 401);
  assert.deepEqual(
    [data.filter(({ status }) => status === 401).length, entry?.requestId, entry?.problem?.step, entry?.userId],
    [1, "revoked", "authentication", null],
  );
  assert.notEqual(entry?.integrationId, null);
  assert.deepEqual(idsOf(await list()), []);
});

test("of repeated 429 responses in a minute, only the first is logged, and all are counted", async () => {
  const full = { take: async () => ({ accepted: false, limit: 1, remaining: 0, resetMs: 1, retryMs: 1 }) };
  const log = memoryRequestLog();
  const { post, api } = await openLogged({ rateLimiter: full, requestLog: log });
  for (const id of ["a", "b", "c"]) await post({}, id);
  await api.idle();
  const logged = await log.find(one.id, { limit: 10 });
  assert.deepEqual(
    logged.map(({ requestId, problem }) => [requestId, problem?.step]),
    [["a", "rate_limit"]],
  );
  const [total] = await log.totals(one.id, { by: "code", since: 0, limit: 1 });
  assert.deepEqual([total?.key, total?.count, total?.clientErrors], ["rate_limited", 3, 3]);
});

test("a batch with failures has the errors of each failed operation", async () => {
  const { send, list } = await openLogged();
  const operations = [
    { op: "create", data: { name: "Ok" } },
    { op: "create", data: { name: "No", email: "none" } },
  ];
  const statuses: number[] = [];
  for (const atomic of [false, true])
    statuses.push((await send("POST", "/contacts/batch", { key, body: { operations, atomic } })).status);
  const { data } = await list();
  assert.deepEqual(statuses, [207, 422]);
  for (const { problem } of data)
    assert.deepEqual(
      problem?.errors.map(({ path, code }) => [path, code]),
      [["/operations/1/data/email", "invalid_format"]],
    );
  assert.deepEqual(
    data.map(({ changes }) => changes.count),
    [0, 1],
  );
});

test("a request log that throws changes no response, drops the entries and is logged once", async () => {
  const logged: string[] = [];
  const logger = { error: (_: unknown, message: string) => void logged.push(message) };
  const append = (): never => assert.fail("the disk is full");
  const { post, api } = await openLogged({ requestLog: { ...memoryRequestLog(), append }, logger });
  for (const [body, status] of [
    [{}, 400],
    [{ title: "Call" }, 201],
  ] as const) {
    assert.equal((await post(body, "a")).status, status);
    await api.idle();
  }
  assert.equal(api.counts().requestLogDropped, 2);
  assert.deepEqual(logged, ["request log failed; dropping entries"]);
});

test("a request log that never ends changes no response, and close doesn't wait for it", async () => {
  const requestLog: RequestLog = { ...memoryRequestLog(), append: () => new Promise(() => {}) };
  const { post, api } = await openLogged({ requestLog });
  assert.equal((await post({}, "a")).status, 400);
  await api.idle();
  assert.equal((await post({ title: "Call" }, "b")).status, 201);
  await api.close();
});
