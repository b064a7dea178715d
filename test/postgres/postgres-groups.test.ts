import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import {
  baseFields,
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newContact,
  newOpportunity,
  newTask,
  newUser,
  startTime,
  updateWrite,
} from "../../lib/storage/contract/records.ts";
import { grouped, inSteps, locked, opened } from "../support/postgres-groups.ts";
import { noPostgres } from "../support/postgres-server.ts";

describe("Grouped PostgreSQL commits", { skip: noPostgres, timeout: 120_000 }, () => {
  test("detect a clock that another server advanced, and guess again after four right guesses", async (t) => {
    const { storage, other, sent, make, storedTasks } = await opened(t);
    assert.equal(await make(other, 1, 10), 10);
    assert.equal(await make(storage, 2, 10), 11);
    assert.deepEqual(sent.splice(0), [...grouped, ...locked]);
    assert.equal(await make(other, 3, 5_000), 5_000);
    assert.equal(await make(storage, 4, 20), 5_001);
    // After a wrong guess, the next four commits lock the clock.
    for (const index of [5, 6, 7, 8, 9]) assert.equal(await make(storage, index, 21), 4_997 + index);
    assert.deepEqual(sent, [...Array.from({ length: 5 }, () => locked).flat(), ...grouped]);
    const instants = [10, 11, 5_000, 5_001, 5_002, 5_003, 5_004, 5_005, 5_006];
    assert.deepEqual(
      await storedTasks(),
      instants.map((at, index) => [idOf(1, index + 1), at]),
    );
  });

  test("include the commits that arrive while another server holds the clock", async (t) => {
    const { address, storage, other, sent, make, tenant } = await opened(t);
    await make(other, 1, 10);
    await make(storage, 2, 10);
    const holder = new pg.Client({ connectionString: address });
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("UPDATE tenant_clocks SET last_at = last_at + 100 WHERE tenant_id = $1", [tenant]);
    sent.length = 0;
    const waiting = [make(storage, 3, 10)];
    while (!sent.includes("BEGIN")) await setImmediate();
    waiting.push(make(storage, 4, 10), make(storage, 5, 10));
    await storage.settingsVersion(tenant);
    await holder.query("COMMIT");
    await holder.end();
    assert.deepEqual(await Promise.all(waiting), [112, 113, 114]);
    assert.deepEqual(sent, locked);
  });

  test("combine waiting commits, each with its own commit time", async (t) => {
    const { storage, sent, make, storedTasks } = await opened(t);
    const instants = await Promise.all([1, 2, 3, 4].map((index) => make(storage, index, 10)));
    assert.deepEqual(instants, [10, 11, 12, 13]);
    assert.deepEqual(sent, grouped);
    assert.deepEqual(
      await storedTasks(),
      instants.map((at, index) => [idOf(1, index + 1), at]),
    );
  });

  test("detect settings that another server changed, even if the guess of the clock is right", async (t) => {
    const { storage, other, tenant, sent, storedTasks } = await opened(t);
    const settingsVersion = await storage.settingsVersion(tenant);
    const insertTask = (index: number) => (at: number) => [insertWrite("task", newTask(idOf(1, index), at))];
    await storage.commit(tenant, startTime + 5, insertTask(1), { settingsVersion });
    assert.deepEqual(sent.splice(0), grouped);
    await other.commit(tenant, startTime + 10, (at) => [insertWrite("user", newUser(idOf(1, 9), at))]);
    const [stale, unconditional] = await Promise.allSettled([
      storage.commit(tenant, startTime + 20, insertTask(2), { settingsVersion }),
      storage.commit(tenant, startTime + 20, insertTask(3)),
    ]);
    assert.equal(sent[0], grouped[0]);
    assert.equal(stale.status === "rejected" && stale.reason.field, "settingsVersion");
    assert.equal(unconditional.status, "fulfilled");
    assert.deepEqual(
      (await storedTasks()).map(([id]) => id),
      [idOf(1, 1), idOf(1, 3)],
    );
  });

  test("reject all commits with outdated settings in one transaction, which commits the others", async (t) => {
    const { storage, other, tenant, sent, storedTasks } = await opened(t);
    const settingsVersion = await storage.settingsVersion(tenant);
    await other.commit(tenant, startTime + 10, (at) => [insertWrite("user", newUser(idOf(1, 9), at))]);
    const current = await storage.settingsVersion(tenant);
    const versions = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? current : settingsVersion));
    const outcomes = await Promise.allSettled(
      versions.map((version, index) => {
        const insertTask = (at: number) => [insertWrite("task", newTask(idOf(1, 100 + index), at))];
        return storage.commit(tenant, startTime + 20, insertTask, { settingsVersion: version });
      }),
    );
    assert.deepEqual(
      outcomes.map((each) => each.status === "rejected" && each.reason.field),
      versions.map((version) => version !== current && "settingsVersion"),
    );
    assert.equal((await storedTasks()).length, 10);
    assert.ok(sent.length <= 3 * inSteps.length, `${sent}`);
  });

  test("let a commit that must find no other record wait alone", async (t) => {
    const { storage, tenant, sent, make } = await opened(t);
    const none = { kind: "task", where: { status: "done" } } as const;
    const alone = (at: number) => [insertWrite("task", newTask(idOf(1, 50), at))];
    await Promise.all([
      ...[1, 2, 3, 4].map((index) => make(storage, index, 10)),
      storage.commit(tenant, startTime + 10, alone, { none }),
      ...[5, 6, 7, 8].map((index) => make(storage, index, 10)),
    ]);
    assert.deepEqual(sent, [...grouped, ...locked, ...grouped]);
  });

  test("send nothing if there are no writes or propose throws", async (t) => {
    const { storage, tenant, sent, make } = await opened(t);
    const no = new Error("no");
    const refusing = () => {
      throw no;
    };
    await storage.commit(tenant, startTime + 10, () => []);
    await assert.rejects(storage.commit(tenant, startTime + 10, refusing), no);
    assert.deepEqual(sent, []);
    assert.equal(await make(storage, 1, 1), 1);
  });

  test("of several tenants are one statement, in which each tenant has its own clock", async (t) => {
    const { storage, tenant, sent } = await opened(t);
    const second = await createTenant(storage, 2);
    sent.length = 0;
    const make = (name: string, now: number) =>
      commitNow(storage, name, startTime + now, (at) => [insertWrite("task", newTask(idOf(1, now), at))]);
    const times = await Promise.all([make(tenant, 10), make(second, 500), make(tenant, 11)]);
    assert.deepEqual(
      times.map((at) => at - startTime),
      [10, 500, 11],
    );
    assert.deepEqual(sent, grouped);
    const ids = async (name: string) => (await storage.list(name, "task", {})).map(({ id }) => id);
    assert.deepEqual([await ids(tenant), await ids(second)], [[idOf(1, 10), idOf(1, 11)], [idOf(1, 500)]]);
  });

  test("are planned once, when the group before them ends", async (t) => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const { storage, tenant, sent } = await opened(t, async (_, send) => {
      if (isHeld) await held.promise;
      return send();
    });
    const second = await createTenant(storage, 2);
    sent.length = 0;
    isHeld = true;
    let planned = 0;
    const make = (name: string, index: number) =>
      storage.commit(name, startTime + index, (at) => {
        planned++;
        return [insertWrite("task", newTask(idOf(1, index), at))];
      });
    const commits = [make(tenant, 1)];
    while (sent.length === 0) await setImmediate();
    for (const index of [2, 3, 4]) {
      commits.push(make(second, index));
      await setImmediate();
    }
    held.resolve();
    await Promise.all(commits);
    assert.deepEqual([planned, sent], [4, [...grouped, ...grouped]]);
  });

  test("end before a commit that changes the same record, and before a record that an earlier commit refers to", async (t) => {
    const { storage, tenant, sent } = await opened(t);
    const task = newTask(idOf(1, 1), startTime + 10);
    const changed = { title: "Changed", updatedAt: startTime + 11 };
    await Promise.all([
      storage.commit(tenant, startTime + 10, () => [insertWrite("task", task)]),
      storage.commit(tenant, startTime + 11, () => [updateWrite("task", task, changed)]),
    ]);
    assert.equal((await storage.get(tenant, "task", task.id))?.title, "Changed");
    assert.deepEqual(sent.splice(0), [...grouped, ...grouped]);
    const account = idOf(2, 1);
    const early = (at: number) => [insertWrite("contact", { ...newContact(idOf(3, 1), at), accountId: account })];
    const [rejected, made] = await Promise.allSettled([
      storage.commit(tenant, startTime + 20, early),
      storage.commit(tenant, startTime + 21, (at) => [insertWrite("account", newAccount(account, at))]),
    ]);
    assert.deepEqual([rejected.status, made.status], ["rejected", "fulfilled"]);
  });

  test("with links run in a transaction of their own", async (t) => {
    const { storage, tenant, sent } = await opened(t);
    const contact = newContact(idOf(3, 1), startTime + 10);
    await storage.commit(tenant, startTime + 10, () => [insertWrite("contact", contact)]);
    const [pipelineId, stageId] = [idOf(5, 1), idOf(6, 1)];
    await storage.commit(tenant, startTime + 11, (at) => {
      const pipeline = { name: "Sales", isDefault: true, lostReasons: [], requireLostReason: false };
      const stage = { pipelineId, name: "New", order: 1, probability: null };
      return [
        insertWrite("pipeline", { ...pipeline, ...baseFields(pipelineId, at) }),
        insertWrite("stage", { ...stage, ...baseFields(stageId, at) }),
      ];
    });
    const make = (index: number, contactIds: string[]) =>
      commitNow(storage, tenant, startTime + 20 + index, (at) => [
        insertWrite("opportunity", newOpportunity(idOf(4, index), at, { pipelineId, stageId, contactIds })),
      ]);
    sent.length = 0;
    await make(1, []);
    await make(2, [contact.id]);
    assert.deepEqual(sent, [...grouped, ...inSteps]);
    assert.deepEqual((await storage.get(tenant, "opportunity", idOf(4, 2)))?.contactIds, [contact.id]);
  });
});
