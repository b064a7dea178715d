import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneExpired } from "../../../lib/api/maintenance.ts";
import { systemClock } from "../../../lib/auth/rate-limiter.ts";
import { keyUseRecorder } from "../../../lib/http/key-use-recorder.ts";
import { PendingWork } from "../../../lib/http/load-limits.ts";
import { createApi, type Storage, StorageUnavailable, wrapStorage } from "../../../lib/index.ts";
import { fullTenant } from "../../../lib/storage/contract/full-tenant.ts";
import { startTime } from "../../../lib/storage/contract/records.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { startTestCrm } from "../../../lib/testing/index.ts";
import { testCrm } from "../../support/harness.ts";
import { dataOf } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const hourMs = 3_600_000;

test("stored responses expire 24 hours after the first use of their key", async () => {
  const one = testTenant(1);
  const { api, send, storage, clock } = await testCrm([one]);
  const keep = (digit: number) => {
    const headers = { "idempotency-key": `0195aaaa-0000-7000-8000-00000000000${digit}` };
    return send("POST", "/tasks", { key: one.key, headers, body: { title: `Task ${digit}` } });
  };
  const count = async () => (await storage.list(one.id, "idempotencyRecord", {})).length;
  dataOf(await keep(1), 201);
  clock.advance(23 * hourMs);
  dataOf(await keep(2), 201);
  assert.deepEqual([await pruneExpired(storage, clock.now()), await count()], [0, 2]);
  clock.advance(hourMs + 1);
  assert.deepEqual([await pruneExpired(storage, clock.now()), await count()], [1, 1]);
  await api.close();
});

test("an error while expired idempotency records are deleted is logged and has no other effect", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const storage = memoryStorage();
  const error = new StorageUnavailable("The database is locked by another process.");
  const failing: Storage = wrapStorage(storage, { pruneIdempotencyRecords: () => Promise.reject(error) });
  const logged: unknown[] = [];
  const api = createApi({ storage: failing, logger: { error: ({ err }, message) => logged.push([err, message]) } });
  t.mock.timers.tick(60_000);
  await api.close();
  assert.deepEqual(logged, [[error, "deleting expired idempotency records failed"]]);
});

test("idle() resolves after lastUsedAt is written and onCommitted has returned", async () => {
  const one = testTenant(1);
  const storage = memoryStorage();
  const hook = Promise.withResolvers<void>();
  const events: string[] = [];
  const onCommitted = async (): Promise<void> => {
    await hook.promise;
    events.push("notified");
  };
  const { api, send, clock } = await testCrm([one], { storage, onCommitted });
  await api.idle();
  dataOf(await send("POST", "/tasks", { key: one.key, body: { title: "Call" } }), 201);
  const idle = api.idle().then(() => events.push("idle"));
  hook.resolve();
  await idle;
  assert.deepEqual(events, ["notified", "idle"]);
  const keys = await storage.list(one.id, "apiKey", { where: { integrationId: one.integration } });
  assert.ok(keys.some(({ lastUsedAt }) => lastUsedAt === clock.now()));
  await api.close();
  await api.idle();
});

test("idle() of startTestCrm resolves after the use of the API key is written", async (t) => {
  const crm = await startTestCrm();
  t.after(() => crm.close());
  const database = () => crm.snapshot().state.database;
  const initial = database();
  await crm.client.me();
  await crm.idle();
  const used = database();
  assert.notDeepEqual(used, initial);
  await crm.client.me();
  await crm.idle();
  assert.deepEqual(database(), used);
});

test("the uses of two API keys with the same ID are recorded in both tenants", async () => {
  const commits: string[] = [];
  const storage = wrapStorage(memoryStorage(), { commit: async (tenant) => void commits.push(tenant) });
  const background = new PendingWork();
  const record = keyUseRecorder(storage, systemClock, background, assert.fail);
  const [key] = fullTenant(1, startTime).apiKey;
  assert.ok(key);
  const tenants = [testTenant(1).id, testTenant(2).id];
  for (const tenantId of tenants) record({ ...key, tenantId, scopes: [], lastUsedAt: null });
  await background.idle();
  assert.deepEqual(commits, tenants);
});
