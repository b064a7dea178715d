import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type ApiOptions,
  type Caller,
  type Storage,
  StorageUnavailable,
  type Write,
  wrapStorage,
} from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { type Sent, testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;

/** The calls that the host received. */
type HookCall = readonly [writes: readonly Write[], caller: Caller];

async function crmWith(t: TestContext, options: Partial<ApiOptions> = {}) {
  const calls: HookCall[] = [];
  const onCommitted: ApiOptions["onCommitted"] = (writes, caller) => void calls.push([writes, caller]);
  const crm = await testCrm([one, two], { onCommitted, ...options });
  t.after(() => crm.api.close());
  return { ...crm, calls };
}

const once = (digit: number) => ({ "idempotency-key": `0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d5${digit}` });
const task = (sent: Sent = {}): Sent => ({ key, body: { title: "Call" }, ...sent });
const wrote = (calls: readonly HookCall[]) =>
  calls.map(([writes]) => writes.map(({ op, kind, record }) => [op, kind, record.id]));

test("onCommitted gets the writes and the caller of each commit once, without the stored response", async (t) => {
  const { send, calls, storage } = await crmWith(t);
  const { id } = dataOf(await send("POST", "/tasks", task({ headers: once(1) })), 201);
  const record = await storage.get(one.id, "task", id);
  const caller = { tenantId: one.id, integrationId: one.integration, keyId: calls[0]?.[1].keyId, userId: null };
  assert.deepEqual(
    calls.map(([writes, { scopes: _, ...who }]) => [writes, who]),
    [[[{ op: "insert", kind: "task", record }], caller]],
  );
  await send("PATCH", `/tasks/${id}`, { key, body: { title: "Write" } });
  await send("DELETE", `/tasks/${id}`, { key });
  await send("POST", `/tasks/${id}/restore`, { key });
  await send("POST", "/tasks", task({ key: two.key }));
  assert.deepEqual(
    wrote(calls.slice(1, 4)),
    [1, 2, 3].map(() => [["update", "task", id]]),
  );
  assert.deepEqual([calls.length, calls[4]?.[1].tenantId], [5, two.id]);
});

test("onCommitted isn't called for reads, rejected requests, replays and updates without a change", async (t) => {
  const { send, calls, api } = await crmWith(t);
  const account = { name: "New" };
  const responses = [
    await send("POST", "/accounts", { key, headers: once(1), body: account }),
    await send("POST", "/accounts", { key, headers: once(1), body: account }),
    await send("POST", "/accounts", { key, headers: once(1), body: { name: "Other" } }),
    await send("POST", "/accounts", { key, headers: once(2), body: account }),
    await send("POST", "/tasks", task({ body: { title: "Call", assignedTo: two.member } })),
    await send("POST", "/tasks", task({ body: {} })),
    await send("POST", "/tasks", task({ key: one.readKey })),
    await send("POST", "/tasks", task({ key: null })),
    await send("PATCH", `/tasks/${one.task}`, { key, body: { title: "Call Carla" } }),
    await send("GET", "/tasks", { key }),
    await send("POST", "/contacts/opportunities/active", {
      ...{ key, headers: once(3), body: { tenantId: one.id, emails: ["carla@acme.test"] } },
    }),
  ];
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(statuses, [201, 201, 422, 409, 422, 400, 403, 401, 200, 200, 200]);
  const createTask = api.operations.createTask ?? assert.fail("there is no such operation");
  await createTask({ caller: { tenantId: one.id, scopes: ["tasks:write"] }, body: { title: "Call" } });
  assert.deepEqual(
    calls.map(([writes]) => writes.map(({ kind }) => kind)),
    [["account"], ["task"]],
  );
});

test("onCommitted is called once for concurrent requests with one Idempotency-Key", async (t) => {
  const { send, calls, storage } = await crmWith(t);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => send("POST", "/tasks", task({ headers: once(1) }))),
  );
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]));
  const { id } = dataOf(responses[0] ?? assert.fail(), 201);
  assert.deepEqual(wrote(calls), [[["insert", "task", id]]]);
  assert.equal((await storage.list(one.id, "task", {})).length, 2);
});

test("onCommitted is called once, with the stored record, after a write conflict", async (t) => {
  const good = memoryStorage();
  let times = 0;
  const overtaken = wrapStorage(good, {
    async get(tenant, kind, id) {
      const read = await good.get(tenant, kind, id);
      const record = times++ === 0 && kind === "task" ? await good.get(tenant, "task", id) : undefined;
      if (record !== undefined) {
        await good.commit(tenant, 0, (at) => {
          const high = { ...record, priority: "high", updatedAt: at } as const;
          return [{ op: "update", kind: "task", record: high, expectedUpdatedAt: record.updatedAt }];
        });
      }
      return read;
    },
  });
  const { send, calls } = await crmWith(t, { storage: overtaken });
  times = 0;
  await send("PATCH", `/tasks/${one.task}`, { key, body: { title: "Write" } });
  assert.deepEqual(
    calls.map(([writes]) => writes.map(({ record }) => record)),
    [[await good.get(one.id, "task", one.task)]],
  );
  assert.equal((await good.get(one.id, "task", one.task))?.priority, "high");
});

test("onCommitted is called after the commit is visible to other connections", async (t) => {
  const storage = await freshStorage();
  let committed = false;
  const watched = wrapStorage(storage, {
    async commit(...parameters) {
      committed = false;
      await storage.commit(...parameters);
      committed = true;
    },
  });
  const seen: boolean[] = [];
  const { send } = await crmWith(t, { storage: watched, onCommitted: () => void seen.push(committed) });
  await send("POST", "/tasks", task());
  assert.deepEqual(seen, [true]);
});

test("onCommitted isn't called for a commit with an unknown result, also not by its replay", async (t) => {
  const good = memoryStorage();
  let lost = false;
  const storage: Storage = wrapStorage(good, {
    async commit(...parameters) {
      await good.commit(...parameters);
      if (lost) throw new StorageUnavailable("the connection broke before the response arrived");
    },
  });
  const { send, calls } = await crmWith(t, { storage });
  await send("GET", "/me", { key });
  lost = true;
  assert.equal(verdict(await send("POST", "/tasks", task({ headers: once(1) }))), "503 internal_error");
  lost = false;
  const again = await send("POST", "/tasks", task({ headers: once(1) }));
  assert.deepEqual([again.status, again.headers.get("idempotent-replayed"), calls], [201, "true", []]);
});

test("an error in onCommitted is logged without effect on the response; a slow hook delays only close()", {
  timeout: 30_000,
}, async (t) => {
  const logged: unknown[] = [];
  const fault = new Error("the queue is away");
  const slow = Promise.withResolvers<void>();
  t.after(() => slow.resolve());
  const hooks: (() => void | Promise<void>)[] = [
    () => {
      throw fault;
    },
    () => Promise.reject(fault),
    () => slow.promise,
  ];
  const options = {
    maxInFlight: 1,
    logger: { error: (fields: object, text: string) => void logged.push({ ...fields, text }) },
  };
  const { send, api } = await crmWith(t, { ...options, onCommitted: () => hooks.shift()?.() });
  for (const _ of [1, 2]) dataOf(await send("POST", "/tasks", task()), 201);
  await api.idle();
  dataOf(await send("POST", "/tasks", task()), 201);
  const entry = { err: fault, tenantId: one.id, text: "onCommitted failed" };
  assert.deepEqual(logged, [entry, entry]);
  assert.equal((await send("GET", "/me", { key })).status, 200);
  let closed = false;
  const closing = api.close().then(() => {
    closed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(closed, false);
  slow.resolve();
  await closing;
});
