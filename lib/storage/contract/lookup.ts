import assert from "node:assert/strict";
import { type Storage, StorageUnavailable, WriteConflict } from "../storage.ts";
import { fullTenant, insertAll } from "./full-tenant.ts";
import type { Tests } from "./harness.ts";
import {
  baseFields,
  commitNow,
  createTenant,
  idOf,
  insert,
  newIdempotencyRecord,
  newTask,
  startTime,
  update,
} from "./records.ts";

/** Keys, the secret, forgetting and closing. */
export function lookupContract({ test, reopenTest }: Tests): void {
  test("a key is found by its hash whatever its tenant, with its tenant and the scopes of its integration", async (storage) => {
    for (const number of [1, 2]) {
      const kept = fullTenant(number, startTime);
      await storage.commit(idOf(number, 0), startTime, () => insertAll(kept));
      const [[key, archived], [integration]] = [kept.apiKey, kept.integration] as const;
      const expected = { ...key, tenantId: idOf(number, 0), scopes: integration?.scopes };
      assert.deepEqual(await storage.findApiKey(key?.hash ?? ""), expected);
      assert.equal(await storage.findApiKey(archived?.hash ?? ""), undefined);
    }
    assert.equal(await storage.findApiKey("0".repeat(64)), undefined);
    assert.equal(await storage.findApiKey(""), undefined);
  });

  test("a key is not found while it, its integration or its tenant is archived", async (storage) => {
    const kept = fullTenant(1, startTime);
    await storage.commit(idOf(1, 0), startTime, () => insertAll(kept));
    const [key] = kept.apiKey;
    assert.ok(key);
    for (const kind of ["apiKey", "integration", "tenant"] as const) {
      const archivedAt = await setArchived(storage, kind, kept[kind][0]?.id ?? "", true);
      assert.equal(await storage.findApiKey(key.hash), undefined, kind);
      await setArchived(storage, kind, kept[kind][0]?.id ?? "", false);
      assert.equal((await storage.findApiKey(key.hash))?.id, key.id, `${kind} at ${archivedAt}`);
    }
  });

  test("a hash is taken whatever the tenant, and whose it is stays untold", async (storage) => {
    for (const number of [1, 2])
      await storage.commit(idOf(number, 0), startTime, () => insertAll(fullTenant(number, startTime)));
    const [[theirs], [mine]] = [fullTenant(2, startTime).apiKey, fullTenant(1, startTime).apiKey];
    assert.ok(mine && theirs);
    const id = idOf(1, 50);
    const expected = { name: "WriteConflict", reason: "duplicate", kind: "apiKey", field: "hash" };
    const again = (hash: string) =>
      storage.commit(idOf(1, 0), startTime + 1, (at) => [insert("apiKey", { ...mine, ...baseFields(id, at), hash })]);
    await assert.rejects(again(theirs.hash), { ...expected, id });
    await assert.rejects(again(mine.hash), { ...expected, id });
    const change = storage.commit(idOf(1, 0), startTime + 1, (updatedAt) => [
      update("apiKey", mine, { hash: theirs.hash, updatedAt }),
    ]);
    await assert.rejects(change, { ...expected, id: mine.id });
  });

  test("a key of an integration that is not there is refused, and not because its hash were taken", async (storage) => {
    await storage.commit(idOf(1, 0), startTime, () => insertAll(fullTenant(1, startTime)));
    const [key] = fullTenant(1, startTime).apiKey;
    assert.ok(key);
    const lost = (at: number) => ({
      ...key,
      ...baseFields(idOf(1, 50), at),
      hash: "f".repeat(64),
      integrationId: idOf(1, 99),
    });
    const refused = storage.commit(idOf(1, 0), startTime + 1, (at) => [insert("apiKey", lost(at))]);
    await assert.rejects(refused, (error) => !(error instanceof WriteConflict));
  });

  test("every tenant that is not archived is told, the oldest first", async (storage) => {
    assert.deepEqual(await storage.listTenants(), []);
    const made = [2, 3, 1].map((number, place) => ({
      ...baseFields(idOf(number, 0), startTime + place),
      name: `${number}`,
    }));
    for (const record of made) await storage.commit(record.id, startTime, () => [insert("tenant", record)]);
    assert.deepEqual(await storage.listTenants(), made);
    await setArchived(storage, "tenant", idOf(3, 0), true, 3);
    assert.deepEqual(await storage.listTenants(), [made[0], made[2]]);
  });

  test("the secret is 32 bytes or more, and the same each time", async (storage) => {
    const secret = await storage.cursorSecret();
    assert.ok(secret.length >= 32, `${secret.length} bytes`);
    assert.deepEqual(Buffer.from(await storage.cursorSecret()), Buffer.from(secret));
    assert.notDeepEqual(Buffer.from(secret), Buffer.alloc(secret.length));
  });

  reopenTest("the secret is the same after the storage was closed and opened", async (storage, reopen) => {
    const secret = Buffer.from(await storage.cursorSecret());
    assert.deepEqual(Buffer.from(await (await reopen()).cursorSecret()), secret);
  });

  test("sweep forgets idempotency records made before a time, of all tenants, and nothing else", async (storage) => {
    for (const number of [1, 2]) {
      const tenant = await createTenant(storage, number, startTime - 10);
      await storage.commit(tenant, startTime, (at) => [
        insert("task", { ...newTask(idOf(number, 1), at), createdAt: 0 }),
        insert("idempotencyRecord", newIdempotencyRecord("older", at, startTime - 2)),
        insert("idempotencyRecord", newIdempotencyRecord("old", at, startTime - 1)),
        insert("idempotencyRecord", newIdempotencyRecord("then", at, startTime)),
        insert("idempotencyRecord", newIdempotencyRecord("later", at, startTime + 1)),
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

  test("sweep forgets at most 500 records a call", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const names = Array.from({ length: 501 }, (_, index) => `${index}`);
    await storage.commit(tenant, startTime + 1, (at) =>
      names.map((name) => insert("idempotencyRecord", newIdempotencyRecord(name, at, startTime - 1))),
    );
    const swept = [
      await storage.pruneIdempotencyRecords(startTime),
      await storage.pruneIdempotencyRecords(startTime),
      await storage.pruneIdempotencyRecords(startTime),
    ];
    assert.deepEqual(swept, [500, 1, 0]);
  });

  test("what was committed before close is kept, and after it everything is refused as unavailable", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const pending = storage.commit(tenant, startTime + 1, (at) => [insert("task", newTask(idOf(1, 1), at))]);
    await Promise.all([storage.close(), pending]);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => storage.get(tenant, "task", idOf(1, 1)),
      () => storage.getJson(tenant, "task", idOf(1, 1)),
      () => storage.list(tenant, "task", {}),
      () => storage.listJson(tenant, "task", {}),
      () => storage.commit(tenant, startTime, (at) => [insert("task", newTask(idOf(1, 2), at))]),
      () => storage.commit(tenant, startTime, () => []),
      () => storage.findApiKey("0".repeat(64)),
      () => storage.listTenants(),
      () => storage.activeOpportunities(tenant, ["carla@acme.test"], 1),
      () => storage.cursorSecret(),
      () => storage.pruneIdempotencyRecords(startTime),
    ];
    for (const call of calls) await assert.rejects(call(), StorageUnavailable, String(call));
    await storage.close();
  });

  reopenTest(
    "a commit that was waiting when the storage was closed is kept once it was answered",
    async (storage, reopen) => {
      const tenant = await createTenant(storage, 1);
      const task = newTask(idOf(1, 1), startTime + 1);
      const pending = storage.commit(tenant, startTime + 1, () => [insert("task", task)]);
      const [again] = await Promise.all([reopen(), pending]);
      assert.deepEqual(await again.list(tenant, "task", {}), [task]);
    },
  );
}

async function setArchived(
  storage: Storage,
  kind: "apiKey" | "integration" | "tenant",
  id: string,
  archived: boolean,
  tenant = 1,
): Promise<number> {
  const before = await storage.get(idOf(tenant, 0), kind, id);
  assert.ok(before);
  return commitNow(storage, idOf(tenant, 0), startTime, (at) => [
    update(kind, before, { updatedAt: at, archivedAt: archived ? at : null }),
  ]);
}
