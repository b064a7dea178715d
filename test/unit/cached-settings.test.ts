import assert from "node:assert/strict";
import { test } from "node:test";
import type { Storage } from "../../lib/index.ts";
import { wrapStorage } from "../../lib/index.ts";
import { cachedSettings } from "../../lib/storage/cached-settings.ts";
import { fullTenant, insertAll } from "../../lib/storage/contract/full-tenant.ts";
import { baseFields, idOf, insertWrite, newTask, startTime, updateWrite } from "../../lib/storage/contract/records.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

const tenant = idOf(1, 0);
const records = fullTenant(1, startTime);
const [key] = records.apiKey;
const rule = { entity: "task" as const, field: "dueDate", when: null };

/** Returns a cached storage, the storage below, and the reads that reached it. */
async function opened() {
  const base = memoryStorage();
  await base.commit(tenant, startTime, () => insertAll(records));
  const reads: string[] = [];
  const counting = wrapStorage(base, {
    get(...parameters) {
      reads.push(`get ${parameters[1]}`);
      return base.get(...parameters);
    },
    list(...parameters) {
      reads.push(`list ${parameters[1]}`);
      return base.list(...parameters);
    },
    findApiKey(hash) {
      reads.push("findApiKey");
      return base.findApiKey(hash);
    },
    settingsVersion(of) {
      reads.push("settingsVersion");
      return base.settingsVersion(of);
    },
  });
  return { base, reads, storage: cachedSettings(counting) };
}

const addRule = (storage: Storage, id = idOf(1, 90)) =>
  storage.commit(tenant, startTime + 10, (at) => [insertWrite("rule", { ...rule, ...baseFields(id, at) })]);

test("cachedSettings reads settings once until another server changes them", async () => {
  const { base, reads, storage } = await opened();
  const rules = () => storage.list(tenant, "rule", { where: { entity: "task" } });
  const before = await rules();
  assert.deepEqual(await rules(), before);
  assert.deepEqual(reads, ["settingsVersion", "list rule", "settingsVersion"]);
  await addRule(base);
  assert.equal((await rules()).length, before.length + 1);
});

test("attempts of one turn share one read of the version", async () => {
  const { reads, storage } = await opened();
  await Promise.all([1, 2].map(() => storage.openAttempt().list(tenant, "rule", {})));
  assert.equal(reads.filter((read) => read === "settingsVersion").length, 1);
});

test("requests share one read of each setting after a change", async () => {
  const { base, reads, storage } = await opened();
  const request = async () => {
    const found = await storage.findApiKey(key?.hash ?? "");
    return [found?.id, (await storage.openAttempt().list(tenant, "rule", {})).length];
  };
  const [id, count] = await request();
  await addRule(base);
  reads.length = 0;
  const after = await Promise.all(Array.from({ length: 20 }, request));
  assert.deepEqual(
    after,
    after.map(() => [id, Number(count) + 1]),
  );
  assert.deepEqual(reads.filter((read) => read !== "settingsVersion").sort(), ["findApiKey", "list rule"]);
});

test("an attempt reads the version once, and only if it reads settings", async () => {
  const { reads, storage } = await opened();
  const attempt = storage.openAttempt();
  await attempt.get(tenant, "task", idOf(1, 80));
  assert.deepEqual(reads, ["get task"]);
  const user = records.user[0]?.id ?? "";
  await Promise.all([attempt.get(tenant, "user", user), attempt.list(tenant, "customField", {})]);
  await attempt.list(tenant, "rule", {});
  assert.equal(reads.filter((read) => read === "settingsVersion").length, 1);
});

test("the commit of an attempt is stale if the settings that it read have changed", async () => {
  const { base, storage } = await opened();
  const [blind, reading] = [storage.openAttempt(), storage.openAttempt()];
  await reading.list(tenant, "rule", {});
  await addRule(base);
  const insert = (number: number) => (at: number) => [insertWrite("task", newTask(idOf(1, number), at))];
  await blind.commit(tenant, startTime, insert(80));
  await assert.rejects(reading.commit(tenant, startTime, insert(81)), { reason: "stale", field: "settingsVersion" });
});

test("an attempt with a version reads none, and its commit is stale if the settings have changed since", async () => {
  const { base, reads, storage } = await opened();
  const version = (await storage.findApiKey(key?.hash ?? ""))?.settingsVersion;
  assert.equal(version, await base.settingsVersion(tenant));
  await addRule(base);
  await storage.list(tenant, "rule", {});
  reads.length = 0;
  const attempt = storage.openAttempt(version);
  await attempt.list(tenant, "rule", {});
  assert.deepEqual(reads, ["list rule"]);
  const insert = (at: number) => [insertWrite("task", newTask(idOf(1, 80), at))];
  await assert.rejects(attempt.commit(tenant, startTime, insert), { reason: "stale", field: "settingsVersion" });
});

test("the commit of an attempt is stale if a record matches that it expected not to exist", async () => {
  const { base, storage } = await opened();
  const attempt = storage.openAttempt();
  attempt.expectNone({ kind: "task", where: { status: "canceled" } });
  const canceled = (at: number) => newTask(idOf(1, 80), at, { status: "canceled", closedAt: at });
  await base.commit(tenant, startTime + 10, (at) => [insertWrite("task", canceled(at))]);
  const insert = (at: number) => [insertWrite("task", newTask(idOf(1, 81), at))];
  await assert.rejects(attempt.commit(tenant, startTime, insert), { reason: "stale", id: idOf(1, 80) });
});

test("cachedSettings doesn't cache records", async () => {
  const { base, reads, storage } = await opened();
  await base.commit(tenant, startTime + 10, (at) => [insertWrite("task", newTask(idOf(1, 80), at))]);
  for (const _ of [1, 2]) await storage.get(tenant, "task", idOf(1, 80));
  assert.deepEqual(reads, ["get task", "get task"]);
});

test("cachedSettings finds no API key that another server has archived", async () => {
  const { base, reads, storage } = await opened();
  assert.ok(key);
  const found = await storage.findApiKey(key.hash);
  reads.length = 0;
  assert.deepEqual(await storage.findApiKey(key.hash), found);
  assert.deepEqual(reads, ["settingsVersion"]);
  await base.commit(tenant, startTime + 10, (at) => [
    updateWrite("apiKey", key, { revokedAt: startTime, updatedAt: at }),
  ]);
  assert.equal((await storage.findApiKey(key.hash))?.revokedAt, startTime);
  const [integration] = records.integration;
  assert.ok(integration);
  await base.commit(tenant, startTime + 20, (at) => [
    updateWrite("integration", integration, { archivedAt: startTime, updatedAt: at }),
  ]);
  assert.equal(await storage.findApiKey(key.hash), undefined);
});

test("cachedSettings caches no settings that were read before a change", async () => {
  const { base, storage } = await opened();
  let isChanged = false;
  const slow = cachedSettings(
    wrapStorage(base, {
      async list(...parameters) {
        const before = await base.list(...parameters);
        if (!isChanged) await addRule(base);
        isChanged = true;
        return before;
      },
    }),
  );
  const stale = await slow.list(tenant, "rule", {});
  const current = await storage.list(tenant, "rule", {});
  assert.equal(current.length, stale.length + 1);
  assert.deepEqual(await slow.list(tenant, "rule", {}), current);
});

test("cachedSettings reads the version again after a failed read", async () => {
  const { base } = await opened();
  let failures = 1;
  const storage = cachedSettings(
    wrapStorage(base, {
      settingsVersion: (of) => (failures-- > 0 ? Promise.reject(new Error("no connection")) : base.settingsVersion(of)),
    }),
  );
  await assert.rejects(storage.list(tenant, "rule", {}), /no connection/);
  assert.deepEqual(await storage.list(tenant, "rule", {}), await base.list(tenant, "rule", {}));
});
