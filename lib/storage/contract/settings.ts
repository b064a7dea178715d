import assert from "node:assert/strict";
import type { TestFunctions } from "./harness.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newIdempotencyRecord,
  newTask,
  newUser,
  startTime,
  updateWrite,
} from "./records.ts";

/** Declares the tests of `settingsVersion`. */
export function settingsContract({ test, reopenTest }: TestFunctions): void {
  test("settingsVersion() is the time of the last commit that wrote settings", async (storage) => {
    const tenant = await createTenant(storage, 1, startTime);
    const created = await storage.settingsVersion(tenant);
    assert.ok(created > 0);
    await storage.commit(tenant, startTime + 10, (at) => [
      insertWrite("task", newTask(idOf(1, 1), at)),
      insertWrite("idempotencyRecord", newIdempotencyRecord("record", at)),
    ]);
    assert.equal(await storage.settingsVersion(tenant), created);
    const user = newUser(idOf(1, 2), startTime + 20);
    const inserted = await commitNow(storage, tenant, startTime + 20, () => [insertWrite("user", user)]);
    assert.equal(await storage.settingsVersion(tenant), inserted);
    const both = await commitNow(storage, tenant, startTime + 30, (at) => [
      insertWrite("task", newTask(idOf(1, 3), at)),
      updateWrite("user", user, { active: false, updatedAt: at }),
    ]);
    assert.equal(await storage.settingsVersion(tenant), both);
  });

  test("settingsVersion() doesn't change with a rejected commit or a commit of another tenant", async (storage) => {
    const [one, two] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const before = await storage.settingsVersion(one);
    const user = newUser(idOf(1, 1), startTime + 10);
    await assert.rejects(
      storage.commit(one, startTime + 10, () => [insertWrite("user", user), insertWrite("user", user)]),
    );
    await commitNow(storage, two, startTime + 20, (at) => [insertWrite("user", newUser(idOf(2, 1), at))]);
    assert.equal(await storage.settingsVersion(one), before);
    assert.equal(await storage.settingsVersion(idOf(3, 0)), 0);
  });

  reopenTest("settingsVersion() is the same after the storage is reopened", async (storage, reopen) => {
    const tenant = await createTenant(storage, 1);
    const version = await storage.settingsVersion(tenant);
    assert.equal(await (await reopen()).settingsVersion(tenant), version);
  });
}
