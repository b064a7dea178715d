import assert from "node:assert/strict";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { fullTenant, insertAll } from "./full-tenant.ts";
import type { TestFunctions } from "./harness.ts";
import {
  baseFields,
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newIdempotencyRecord,
  newTask,
  startTime,
  updateWrite,
} from "./records.ts";

/**
 * Declares the tests of `findApiKey`, `listTenants`, `webhookClocks`, `cursorSecret`, `pruneIdempotencyRecords` and
 * `close`.
 */
export function lookupContract({ test, reopenTest }: TestFunctions): void {
  test("findApiKey() finds a key of any tenant by its hash, with its tenant and scopes", async (storage) => {
    for (const number of [1, 2]) {
      const records = fullTenant(number, startTime);
      await storage.commit(idOf(number, 0), startTime, () => insertAll(records));
      const [[key, archived], [integration]] = [records.apiKey, records.integration] as const;
      const expected = { ...key, tenantId: idOf(number, 0), scopes: integration?.scopes };
      assert.deepEqual(await storage.findApiKey(key?.hash ?? ""), expected);
      assert.equal(await storage.findApiKey(archived?.hash ?? ""), undefined);
    }
    assert.equal(await storage.findApiKey("0".repeat(64)), undefined);
    assert.equal(await storage.findApiKey(""), undefined);
  });

  test("findApiKey() returns undefined while the key, its integration or its tenant is archived", async (storage) => {
    const records = fullTenant(1, startTime);
    await storage.commit(idOf(1, 0), startTime, () => insertAll(records));
    const [key] = records.apiKey;
    assert.ok(key);
    for (const kind of ["apiKey", "integration", "tenant"] as const) {
      const archivedAt = await setArchived(storage, kind, records[kind][0]?.id ?? "", true);
      assert.equal(await storage.findApiKey(key.hash), undefined, kind);
      await setArchived(storage, kind, records[kind][0]?.id ?? "", false);
      assert.equal((await storage.findApiKey(key.hash))?.id, key.id, `${kind} at ${archivedAt}`);
    }
  });

  test("commit() rejects a duplicate hash of any tenant, and doesn't reveal the tenant", async (storage) => {
    for (const number of [1, 2])
      await storage.commit(idOf(number, 0), startTime, () => insertAll(fullTenant(number, startTime)));
    const [[theirs], [mine]] = [fullTenant(2, startTime).apiKey, fullTenant(1, startTime).apiKey];
    assert.ok(mine && theirs);
    const id = idOf(1, 50);
    const expected = { name: "WriteConflict", reason: "duplicate", kind: "apiKey", field: "hash" };
    const again = (hash: string) =>
      storage.commit(idOf(1, 0), startTime + 1, (at) => [
        insertWrite("apiKey", { ...mine, ...baseFields(id, at), hash }),
      ]);
    await assert.rejects(again(theirs.hash), { ...expected, id });
    await assert.rejects(again(mine.hash), { ...expected, id });
    const change = storage.commit(idOf(1, 0), startTime + 1, (updatedAt) => [
      updateWrite("apiKey", mine, { hash: theirs.hash, updatedAt }),
    ]);
    await assert.rejects(change, { ...expected, id: mine.id });
  });

  test("listTenants() returns all tenants, oldest first", async (storage) => {
    assert.deepEqual(await storage.listTenants(), []);
    const tenants = [2, 3, 1].map((number, offset) => ({
      ...baseFields(idOf(number, 0), startTime + offset),
      name: `${number}`,
    }));
    for (const record of tenants) await storage.commit(record.id, startTime, () => [insertWrite("tenant", record)]);
    assert.deepEqual(await storage.listTenants(), tenants);
    await setArchived(storage, "tenant", idOf(3, 0), true, 3);
    const archived = await storage.get(idOf(3, 0), "tenant", idOf(3, 0));
    assert.deepEqual(await storage.listTenants(), [tenants[0], archived, tenants[2]]);
  });

  test("webhookClocks() returns the clocks of the tenants that have webhooks, without archived ones", async (storage) => {
    assert.deepEqual(await storage.webhookClocks(), []);
    for (const number of [1, 2])
      await storage.commit(idOf(number, 0), startTime, () => insertAll(fullTenant(number, startTime)));
    await createTenant(storage, 3);
    const clocks = async () =>
      (await storage.webhookClocks())
        .toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
        .map((each) => ({ ...each }));
    const clockOf = (number: number, lastAt: number, settingsVersion = lastAt) => {
      return { tenantId: idOf(number, 0), lastAt, settingsVersion };
    };
    assert.deepEqual(await clocks(), [clockOf(1, startTime), clockOf(2, startTime)]);
    const at = await commitNow(storage, idOf(2, 0), startTime + 5, (time) => [
      insertWrite("task", newTask(idOf(2, 60), time)),
    ]);
    assert.deepEqual(await clocks(), [clockOf(1, startTime), clockOf(2, at, startTime)]);
    const [webhook] = fullTenant(2, startTime).webhook;
    const archivedAt = await setArchived(storage, "webhook", webhook?.id ?? "", true, 2);
    assert.deepEqual(await clocks(), [clockOf(1, startTime)]);
    const restoredAt = await setArchived(storage, "webhook", webhook?.id ?? "", false, 2);
    assert.ok(restoredAt > archivedAt);
    await setArchived(storage, "tenant", idOf(1, 0), true);
    assert.deepEqual(await clocks(), [clockOf(2, restoredAt)]);
  });

  test("cursorSecret() returns at least 32 bytes, the same on each call", async (storage) => {
    const secret = await storage.cursorSecret();
    assert.ok(secret.length >= 32, `${secret.length} bytes`);
    assert.deepEqual(Buffer.from(await storage.cursorSecret()), Buffer.from(secret));
    assert.notDeepEqual(Buffer.from(secret), Buffer.alloc(secret.length));
  });

  reopenTest("cursorSecret() returns the same secret after the storage is reopened", async (storage, reopen) => {
    const secret = Buffer.from(await storage.cursorSecret());
    assert.deepEqual(Buffer.from(await (await reopen()).cursorSecret()), secret);
  });

  test("pruneIdempotencyRecords() deletes only the idempotency records created before a time, of all tenants", async (storage) => {
    for (const number of [1, 2]) {
      const tenant = await createTenant(storage, number, startTime - 10);
      await storage.commit(tenant, startTime, (at) => [
        insertWrite("task", { ...newTask(idOf(number, 1), at), createdAt: 0 }),
        ...["older", "old", "then", "later"].map((name, index) =>
          insertWrite("idempotencyRecord", newIdempotencyRecord(name, at, startTime - 2 + index)),
        ),
      ]);
    }
    assert.equal(await storage.pruneIdempotencyRecords(startTime - 2), 0);
    assert.equal(await storage.pruneIdempotencyRecords(startTime), 4);
    assert.equal(await storage.pruneIdempotencyRecords(startTime), 0);
    for (const number of [1, 2]) {
      const tenant = idOf(number, 0);
      const expected = [
        newIdempotencyRecord("later", startTime, startTime + 1),
        newIdempotencyRecord("then", startTime, startTime),
      ];
      assert.deepEqual(await storage.list(tenant, "idempotencyRecord", { includeArchived: true }), expected);
      assert.equal((await storage.list(tenant, "task", {})).length, 1);
    }
  });

  test("pruneIdempotencyRecords() deletes at most 500 records per call", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const names = Array.from({ length: 501 }, (_, index) => `${index}`);
    await storage.commit(tenant, startTime + 1, (at) =>
      names.map((name) => insertWrite("idempotencyRecord", newIdempotencyRecord(name, at, startTime - 1))),
    );
    for (const expected of [500, 1, 0]) assert.equal(await storage.pruneIdempotencyRecords(startTime), expected);
  });

  test("close() waits for commits, and later calls reject with StorageUnavailable", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const pending = storage.commit(tenant, startTime + 1, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
    await Promise.all([storage.close(), pending]);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => storage.get(tenant, "task", idOf(1, 1)),
      () => storage.getJson(tenant, "task", idOf(1, 1)),
      () => storage.list(tenant, "task", {}),
      () => storage.listJson(tenant, "task", {}),
      () => storage.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 2), at))]),
      () => storage.commit(tenant, startTime, () => []),
      () => storage.findApiKey("0".repeat(64)),
      () => storage.listTenants(),
      () => storage.webhookClocks(),
      () => storage.activeOpportunities(tenant, ["carla@acme.test"], 1),
      () => storage.cursorSecret(),
      () => storage.pruneIdempotencyRecords(startTime),
    ];
    for (const call of calls) await assert.rejects(call(), StorageUnavailable, String(call));
    await storage.close();
  });

  reopenTest(
    "a commit that was waiting when the storage was closed is stored if it resolved",
    async (storage, reopen) => {
      const tenant = await createTenant(storage, 1);
      const task = newTask(idOf(1, 1), startTime + 1);
      const pending = storage.commit(tenant, startTime + 1, () => [insertWrite("task", task)]);
      const [again] = await Promise.all([reopen(), pending]);
      assert.deepEqual(await again.list(tenant, "task", {}), [task]);
    },
  );
}

async function setArchived(
  storage: Storage,
  kind: "apiKey" | "integration" | "tenant" | "webhook",
  id: string,
  archived: boolean,
  tenant = 1,
): Promise<number> {
  const before = await storage.get(idOf(tenant, 0), kind, id);
  assert.ok(before);
  return commitNow(storage, idOf(tenant, 0), startTime, (at) => [
    updateWrite(kind, before, { updatedAt: at, archivedAt: archived ? at : null }),
  ]);
}
