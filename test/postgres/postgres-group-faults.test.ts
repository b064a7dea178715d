import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StorageUnavailable, WriteConflict } from "../../lib/index.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newTask,
  newUser,
  startTime,
  updateWrite,
} from "../../lib/storage/contract/records.ts";
import { gone, grouped, holdClock, inSteps, isGroup, locked, opened } from "../support/postgres-groups.ts";
import type { Interceptor } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";

describe("Grouped PostgreSQL commits", { skip: noPostgres, timeout: 120_000 }, () => {
  test("report the same WriteConflict as a commit in steps", async (t) => {
    const { storage, tenant } = await opened(t);
    const [account, two] = [newAccount(idOf(1, 1), startTime + 1, { name: "Acme" }), idOf(1, 2)];
    await storage.commit(tenant, startTime + 1, () => [insertWrite("account", account)]);
    await storage.commit(tenant, startTime + 2, (at) => [
      updateWrite("account", account, { phone: "1", updatedAt: at }),
    ]);
    const rejections = [
      [
        new WriteConflict("duplicate", "account", "name", account.id),
        insertWrite("account", newAccount(two, startTime + 9, { name: " ACME" })),
      ],
      [
        new WriteConflict("duplicate", "account", "id", account.id),
        insertWrite("account", newAccount(account.id, startTime + 9)),
      ],
      [
        new WriteConflict("stale", "account", "id", account.id),
        updateWrite("account", account, { updatedAt: startTime + 9 }),
      ],
    ] as const;
    for (const [rejection, write] of rejections)
      await assert.rejects(
        storage.commit(tenant, startTime + 9, () => [insertWrite("task", newTask(idOf(1, 7), startTime + 9)), write]),
        rejection,
      );
    assert.deepEqual(await storage.list(tenant, "task", {}), []);
    assert.equal((await storage.list(tenant, "account", {})).length, 1);
  });

  test("of other tenants succeed if one is rejected or its clock is locked", async (t) => {
    const { address, storage, tenant } = await opened(t);
    const second = await createTenant(storage, 2);
    const insert = (name: string, now: number, id = now) =>
      commitNow(storage, name, startTime + now, (at) => [insertWrite("task", newTask(idOf(1, id), at))]);
    await insert(tenant, 10);
    const [first, other] = await Promise.allSettled([insert(tenant, 20, 10), insert(second, 20)]);
    assert.equal(first.status === "rejected" && first.reason.reason, "duplicate");
    assert.equal(other.status, "fulfilled");
    const release = await holdClock(t, address, tenant);
    const held = insert(tenant, 30);
    assert.equal(await insert(second, 30), startTime + 30);
    // Neither a tenant of the same group nor a later group waits for the clock.
    assert.equal(await insert(second, 40), startTime + 40);
    assert.equal(await insert(second, 50), startTime + 50);
    await release();
    assert.equal(await held, startTime + 30);
  });

  test("run in steps if the database doesn't support groups", async (t) => {
    const unsupported: Interceptor = (text, send) =>
      isGroup(text) ? Promise.reject(Object.assign(new Error("no"), { code: "0A000" })) : send();
    const { sent, storage, make } = await opened(t, unsupported);
    assert.equal(await make(storage, 1, 10), 10);
    assert.equal(await make(storage, 2, 20), 20);
    assert.deepEqual(sent, [...grouped, "ROLLBACK", ...inSteps, ...inSteps]);
  });

  test("run in steps if the database doesn't support the first group, after the clock is locked", async (t) => {
    const unsupported: Interceptor = (text, send) =>
      isGroup(text) ? Promise.reject(Object.assign(new Error("no"), { code: "0A000" })) : send();
    const { sent, storage, other, tenant, make } = await opened(t, unsupported);
    assert.equal(await make(other, 3, 50), 50);
    // A setting isn't part of a group.
    await storage.commit(tenant, 0, (at) => [insertWrite("user", newUser(idOf(1, 9), at))]);
    sent.length = 0;
    const times = await Promise.all([1, 2].map((index) => make(storage, index, 10)));
    assert.deepEqual(times, [52, 53]);
    assert.deepEqual(sent, [...locked, "ROLLBACK", ...inSteps]);
  });

  test("reject with StorageUnavailable and don't run again if the statement gets no response", async (t) => {
    let isLost = true;
    const cut: Interceptor = async (text, send) => {
      const result = await send();
      if (isLost && isGroup(text)) throw gone();
      return result;
    };
    const { storage, sent, make, storedTasks } = await opened(t, cut);
    await assert.rejects(make(storage, 1, 10), StorageUnavailable);
    assert.deepEqual(sent.splice(0), [...grouped, "ROLLBACK"]);
    assert.deepEqual(await storedTasks(), [[idOf(1, 1), 10]]);
    isLost = false;
    assert.equal(await make(storage, 3, 10), 11);
  });

  test("in steps reject with StorageUnavailable if PostgreSQL rolls back at COMMIT or doesn't respond to it", async (t) => {
    let fault: "rolled back" | "lost" | undefined;
    const failing: Interceptor = async (text, send) => {
      if (text !== "COMMIT" || fault === undefined) return send();
      if (fault === "rolled back") return send("ROLLBACK");
      await send();
      throw gone();
    };
    const { storage, other, make, storedTasks } = await opened(t, failing);
    await make(other, 1, 1_000);
    fault = "rolled back";
    await assert.rejects(make(storage, 2, 10), StorageUnavailable);
    fault = "lost";
    await assert.rejects(make(storage, 3, 10), StorageUnavailable);
    const stored = [
      [idOf(1, 1), 1_000],
      [idOf(1, 3), 1_001],
    ];
    assert.deepEqual(await storedTasks(), stored);
  });

  test("reject with StorageUnavailable after one lock timeout", async (t) => {
    const { address, storage, tenant, sent, make } = await opened(t);
    const release = await holdClock(t, address, tenant);
    await assert.rejects(make(storage, 1, 10), StorageUnavailable);
    assert.deepEqual(sent, [...grouped, "BEGIN", "ROLLBACK"]);
    await release();
    assert.equal(await make(storage, 1, 10), 10);
  });
});
