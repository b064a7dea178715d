import assert from "node:assert/strict";
import { type Storage, StorageUnavailable, WriteConflict } from "../storage.ts";
import { everything, insertsOf } from "./full-tenant.ts";
import type { Tests } from "./harness.ts";
import { base, found, idOf, insert, newAnswer, newTask, put, stamped, update } from "./records.ts";

/** Keys, the secret, forgetting and closing. */
export function lookupContract({ test, reopenTest }: Tests): void {
  test("a key is found by its hash whatever its tenant, with its tenant and the scopes of its integration", async (storage) => {
    for (const number of [1, 2]) {
      const kept = everything(number, base);
      await storage.commit(idOf(number, 0), base, () => insertsOf(kept));
      const [[key, archived], [integration]] = [kept.apiKey, kept.integration] as const;
      const expected = { ...key, tenantId: idOf(number, 0), scopes: integration?.scopes };
      assert.deepEqual(await storage.apiKey(key?.hash ?? ""), expected);
      assert.equal(await storage.apiKey(archived?.hash ?? ""), undefined);
    }
    assert.equal(await storage.apiKey("0".repeat(64)), undefined);
    assert.equal(await storage.apiKey(""), undefined);
  });

  test("a key is not found while it, its integration or its tenant is archived", async (storage) => {
    const kept = everything(1, base);
    await storage.commit(idOf(1, 0), base, () => insertsOf(kept));
    const [key] = kept.apiKey;
    assert.ok(key);
    for (const kind of ["apiKey", "integration", "tenant"] as const) {
      const archivedAt = await setArchived(storage, kind, kept[kind][0]?.id ?? "", true);
      assert.equal(await storage.apiKey(key.hash), undefined, kind);
      await setArchived(storage, kind, kept[kind][0]?.id ?? "", false);
      assert.equal((await storage.apiKey(key.hash))?.id, key.id, `${kind} at ${archivedAt}`);
    }
  });

  test("a hash is taken whatever the tenant, and whose it is stays untold", async (storage) => {
    for (const number of [1, 2]) await storage.commit(idOf(number, 0), base, () => insertsOf(everything(number, base)));
    const [[theirs], [mine]] = [everything(2, base).apiKey, everything(1, base).apiKey];
    assert.ok(mine && theirs);
    const id = idOf(1, 50);
    const expected = { name: "WriteConflict", reason: "taken", kind: "apiKey", field: "hash" };
    const again = (hash: string) =>
      storage.commit(idOf(1, 0), base + 1, (at) => [insert("apiKey", { ...mine, ...stamped(id, at), hash })]);
    await assert.rejects(again(theirs.hash), { ...expected, id });
    await assert.rejects(again(mine.hash), { ...expected, id });
    const change = storage.commit(idOf(1, 0), base + 1, (updatedAt) => [
      update("apiKey", mine, { hash: theirs.hash, updatedAt }),
    ]);
    await assert.rejects(change, { ...expected, id: mine.id });
  });

  test("a key of an integration that is not there is refused, and not because its hash were taken", async (storage) => {
    await storage.commit(idOf(1, 0), base, () => insertsOf(everything(1, base)));
    const [key] = everything(1, base).apiKey;
    assert.ok(key);
    const lost = (at: number) => ({
      ...key,
      ...stamped(idOf(1, 50), at),
      hash: "f".repeat(64),
      integrationId: idOf(1, 99),
    });
    const refused = storage.commit(idOf(1, 0), base + 1, (at) => [insert("apiKey", lost(at))]);
    await assert.rejects(refused, (error) => !(error instanceof WriteConflict));
  });

  test("every tenant that is not archived is told, the oldest first", async (storage) => {
    assert.deepEqual(await storage.tenants(), []);
    const made = [2, 3, 1].map((number, place) => ({ ...stamped(idOf(number, 0), base + place), name: `${number}` }));
    for (const record of made) await storage.commit(record.id, base, () => [insert("tenant", record)]);
    assert.deepEqual(await storage.tenants(), made);
    await setArchived(storage, "tenant", idOf(3, 0), true, 3);
    assert.deepEqual(await storage.tenants(), [made[0], made[2]]);
  });

  test("the secret is 32 bytes or more, and the same each time", async (storage) => {
    const secret = await storage.secret();
    assert.ok(secret.length >= 32, `${secret.length} bytes`);
    assert.deepEqual(Buffer.from(await storage.secret()), Buffer.from(secret));
    assert.notDeepEqual(Buffer.from(secret), Buffer.alloc(secret.length));
  });

  reopenTest("the secret is the same after the storage was closed and opened", async (storage, reopen) => {
    const secret = Buffer.from(await storage.secret());
    assert.deepEqual(Buffer.from(await (await reopen()).secret()), secret);
  });

  test("sweep forgets idempotency records made before a time, of all tenants, and nothing else", async (storage) => {
    for (const number of [1, 2]) {
      const tenant = await found(storage, number, base - 10);
      await storage.commit(tenant, base, (at) => [
        insert("task", { ...newTask(idOf(number, 1), at), createdAt: 0 }),
        insert("idempotencyRecord", newAnswer("older", at, base - 2)),
        insert("idempotencyRecord", newAnswer("old", at, base - 1)),
        insert("idempotencyRecord", newAnswer("then", at, base)),
        insert("idempotencyRecord", newAnswer("later", at, base + 1)),
      ]);
    }
    assert.equal(await storage.sweep(base - 2), 0);
    assert.equal(await storage.sweep(base), 4);
    assert.equal(await storage.sweep(base), 0);
    for (const number of [1, 2]) {
      const tenant = idOf(number, 0);
      const expected = [newAnswer("later", base, base + 1), newAnswer("then", base, base)];
      assert.deepEqual(await storage.list(tenant, "idempotencyRecord", { archived: true }), expected);
      assert.equal((await storage.list(tenant, "task", {})).length, 1);
    }
  });

  test("sweep forgets at most 500 records a call", async (storage) => {
    const tenant = await found(storage, 1);
    const names = Array.from({ length: 501 }, (_, index) => `${index}`);
    await storage.commit(tenant, base + 1, (at) =>
      names.map((name) => insert("idempotencyRecord", newAnswer(name, at, base - 1))),
    );
    const swept = [await storage.sweep(base), await storage.sweep(base), await storage.sweep(base)];
    assert.deepEqual(swept, [500, 1, 0]);
  });

  test("what was committed before close is kept, and after it everything is refused as unavailable", async (storage) => {
    const tenant = await found(storage, 1);
    const pending = storage.commit(tenant, base + 1, (at) => [insert("task", newTask(idOf(1, 1), at))]);
    await Promise.all([storage.close(), pending]);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => storage.get(tenant, "task", idOf(1, 1)),
      async () => storage.getJson?.(tenant, "task", idOf(1, 1)) ?? storage.get(tenant, "task", idOf(1, 1)),
      () => storage.list(tenant, "task", {}),
      async () =>
        storage.listJson === undefined ? storage.list(tenant, "task", {}) : storage.listJson(tenant, "task", {}),
      () => storage.commit(tenant, base, (at) => [insert("task", newTask(idOf(1, 2), at))]),
      () => storage.commit(tenant, base, () => []),
      () => storage.apiKey("0".repeat(64)),
      () => storage.tenants(),
      () => storage.activeOpportunities(tenant, ["carla@acme.test"], 1),
      () => storage.secret(),
      () => storage.sweep(base),
    ];
    for (const call of calls) await assert.rejects(call(), StorageUnavailable, String(call));
    await storage.close();
  });

  reopenTest(
    "a commit that was waiting when the storage was closed is kept once it was answered",
    async (storage, reopen) => {
      const tenant = await found(storage, 1);
      const task = newTask(idOf(1, 1), base + 1);
      const pending = storage.commit(tenant, base + 1, () => [insert("task", task)]);
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
  return put(storage, idOf(tenant, 0), base, (at) => [
    update(kind, before, { updatedAt: at, archivedAt: archived ? at : null }),
  ]);
}
