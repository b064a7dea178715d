import assert from "node:assert/strict";
import type { CommitConditions, Storage, Write } from "../storage.ts";
import { WriteConflict } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
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
} from "./records.ts";

const user = idOf(1, 1);
const taskIds = [idOf(1, 2), idOf(1, 3), idOf(1, 4)] as const;
const insertUser = (at: number): readonly Write[] => [insertWrite("user", newUser(user, at))];
const insertTask = (number: 0 | 1 | 2) => (at: number) => [insertWrite("task", newTask(taskIds[number], at))];
const noAcme = { none: { kind: "account", where: { name: "ACME" } } } as const;

/** Returns what the commit throws as an object, or undefined. */
async function conflictOf(
  storage: Storage,
  tenant: string,
  propose: (at: number) => readonly Write[],
  conditions: CommitConditions,
) {
  try {
    await storage.commit(tenant, startTime, propose, conditions);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof WriteConflict, String(error));
    const { reason, kind, field, id } = error;
    return { reason, kind, field, id };
  }
}

async function storedTasks(storage: Storage, tenant: string): Promise<readonly string[]> {
  return (await storage.list(tenant, "task", {})).map(({ id }) => id).sort();
}

/** Declares the tests of the conditions of commits. */
export function conditionsContract({ test }: TestFunctions): void {
  test("commit() on an outdated settingsVersion is rejected as stale, and writes nothing", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const settingsVersion = await storage.settingsVersion(tenant);
    await storage.commit(tenant, startTime, insertTask(0), { settingsVersion });
    assert.equal(await conflictOf(storage, tenant, insertTask(1), { settingsVersion }), undefined);
    await storage.commit(tenant, startTime, insertUser, { settingsVersion });
    const stale = { reason: "stale", kind: "tenant", field: "settingsVersion", id: tenant };
    for (const outdated of [settingsVersion, 0, startTime + 999])
      assert.deepEqual(await conflictOf(storage, tenant, insertTask(2), { settingsVersion: outdated }), stale);
    assert.deepEqual(await storedTasks(storage, tenant), [taskIds[0], taskIds[1]]);
    const current = await storage.settingsVersion(tenant);
    assert.equal(await conflictOf(storage, tenant, insertTask(2), { settingsVersion: current }), undefined);
  });

  test("the settingsVersion of another tenant doesn't matter", async (storage) => {
    const [tenant, other] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const settingsVersion = await storage.settingsVersion(tenant);
    await commitNow(storage, other, startTime, insertUser);
    assert.equal(await conflictOf(storage, tenant, insertTask(0), { settingsVersion }), undefined);
  });

  test("commit() that expects no matching record is rejected as stale if there is one, and writes nothing", async (storage) => {
    const tenant = await createTenant(storage, 1);
    assert.equal(await conflictOf(storage, tenant, insertTask(0), noAcme), undefined);
    const acme = newAccount(idOf(1, 9), startTime + 10, { name: "Acme" });
    await storage.commit(tenant, startTime + 10, () => [insertWrite("account", acme)]);
    const stale = { reason: "stale", kind: "account", field: "id", id: acme.id };
    assert.deepEqual(await conflictOf(storage, tenant, insertTask(1), noAcme), stale);
    assert.deepEqual(await storedTasks(storage, tenant), [taskIds[0]]);
    await storage.commit(tenant, startTime + 20, (at) => [
      updateWrite("account", acme, { archivedAt: at, updatedAt: at }),
    ]);
    assert.equal(await conflictOf(storage, tenant, insertTask(1), noAcme), undefined);
  });

  test("of concurrent commits on a settingsVersion, those after a change of the settings are stale", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const settingsVersion = await storage.settingsVersion(tenant);
    const proposals = [insertTask(0), insertUser, insertTask(1)];
    const outcomes = await Promise.all(
      proposals.map((propose) => conflictOf(storage, tenant, propose, { settingsVersion })),
    );
    const changedAt = await storage.settingsVersion(tenant);
    assert.notEqual(changedAt, settingsVersion);
    const tasks = await storage.list(tenant, "task", {});
    assert.equal(tasks.length, [outcomes[0], outcomes[2]].filter((outcome) => outcome === undefined).length);
    for (const { updatedAt } of tasks) assert.ok(updatedAt < changedAt, `${updatedAt} is after ${changedAt}`);
    assert.equal(outcomes[1], undefined);
  });

  test("of concurrent commits, those whose conditions don't hold are rejected and all others succeed", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const settingsVersion = await storage.settingsVersion(tenant);
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const outcomes = await Promise.all(
      numbers.map((index) => {
        const propose = (at: number) => [insertWrite("task", newTask(idOf(2, index + 1), at))];
        const conditions = [{ settingsVersion }, {}, { settingsVersion: settingsVersion - 1 }, noAcme][index % 4];
        return conflictOf(storage, tenant, propose, conditions as CommitConditions);
      }),
    );
    const accepted = numbers.filter((index) => index % 4 !== 2);
    assert.deepEqual(
      numbers.filter((index) => outcomes[index] === undefined),
      accepted,
    );
    assert.deepEqual(
      await storedTasks(storage, tenant),
      accepted.map((index) => idOf(2, index + 1)),
    );
  });

  test("a condition is checked after the commits that were called before", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const acme = (at: number) => [insertWrite("account", newAccount(idOf(1, 9), at, { name: "Acme" }))];
    const [inserted, expecting] = await Promise.all([
      conflictOf(storage, tenant, acme, {}),
      conflictOf(storage, tenant, insertTask(0), noAcme),
    ]);
    assert.equal(inserted, undefined);
    assert.equal(expecting?.id, idOf(1, 9));
    assert.deepEqual(await storedTasks(storage, tenant), []);
  });
}
