import assert from "node:assert/strict";
import type { Position, Storage } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import { baseFields, commitNow, createTenant, idOf, insertWrite, newTask, startTime, updateWrite } from "./records.ts";

const at = (offset: number): number => startTime + offset;

/** Commits a task at each of these times and returns the commit times, both relative to `startTime`. */
async function commitTimesOf(storage: Storage, tenant: string, from: number, offsets: readonly number[]) {
  const times: number[] = [];
  for (const [index, offset] of offsets.entries()) {
    const id = idOf(1, from + index);
    times.push(
      (await commitNow(storage, tenant, at(offset), (now) => [insertWrite("task", newTask(id, now))])) - startTime,
    );
  }
  return times;
}

/** Declares the tests of commit times. */
export function clockContract({ test, reopenTest }: TestFunctions): void {
  test("commit() proposes a time that is at least the given one and later than the last commit", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const offsets = [10, 10, 10, 9, -5000, 13, 14, 100, 50, 102];
    const times = await commitTimesOf(storage, tenant, 1, offsets);
    for (const [index, time] of times.entries()) {
      assert.ok(time >= (offsets[index] as number), `${time}`);
      assert.ok(time > (times[index - 1] ?? Number.NEGATIVE_INFINITY), `${times}`);
    }
  });

  reopenTest("commit times keep increasing after the storage is reopened", async (storage, reopen) => {
    const tenant = await createTenant(storage, 1);
    assert.deepEqual(await commitTimesOf(storage, tenant, 1, [10, 10]), [10, 11]);
    const again = await reopen();
    assert.deepEqual(await commitTimesOf(again, tenant, 3, [11, -5000]), [12, 13]);
  });

  test("each tenant has its own clock", async (storage) => {
    const [one, two] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    assert.deepEqual(await commitTimesOf(storage, one, 1, [500, 500]), [500, 501]);
    assert.deepEqual(await commitTimesOf(storage, two, 1, [10, 10]), [10, 11]);
    assert.deepEqual(await commitTimesOf(storage, one, 3, [10]), [502]);
  });

  test("a commit that is rejected or has no writes doesn't advance the clock", async (storage) => {
    const tenant = await createTenant(storage, 1);
    assert.deepEqual(await commitTimesOf(storage, tenant, 1, [10]), [10]);
    await commitNow(storage, tenant, at(1000), () => []);
    await assert.rejects(commitTimesOf(storage, tenant, 1, [1001]));
    await assert.rejects(
      storage.commit(tenant, at(1002), () => {
        throw new Error("no");
      }),
    );
    await assert.rejects(storage.commit(tenant, at(1003), () => [insertWrite("task", newTask(idOf(1, 9), startTime))]));
    assert.deepEqual(await commitTimesOf(storage, tenant, 2, [10]), [11]);
    assert.deepEqual(await commitTimesOf(storage, tenant, 3, [12]), [12]);
  });

  test("commit() rejects a record whose updatedAt isn't the commit time with TypeError, and writes nothing", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const stored = newTask(idOf(1, 1), at(10));
    await storage.commit(tenant, at(10), () => [insertWrite("task", stored)]);
    const good = (now: number) => insertWrite("task", newTask(idOf(1, 2), now));
    for (const updatedAt of [at(10), at(19), at(21), 0]) {
      const insertion = insertWrite("task", { ...newTask(idOf(1, 3), at(20)), updatedAt });
      const change = updateWrite("task", stored, { title: "Other", updatedAt });
      for (const wrong of [insertion, change]) {
        const commit = storage.commit(tenant, at(20), (now) => [good(now), wrong]);
        await assert.rejects(commit, TypeError);
      }
    }
    assert.deepEqual(await storage.list(tenant, "task", { includeArchived: true }), [stored]);
  });

  test("the commit that creates a tenant may have older and newer records, and later commits follow the newest", async (storage) => {
    for (const [number, newest] of [[1, 900] as const, [2, -900] as const, [3, 10] as const]) {
      const tenant = idOf(number, 0);
      const tasks = [
        newTask(idOf(1, 1), at(newest)),
        newTask(idOf(1, 2), at(-1000)),
        newTask(idOf(1, 3), at(newest - 1)),
      ];
      const commitTime = await commitNow(storage, tenant, at(10), () => [
        insertWrite("tenant", { name: "Tenant", ...baseFields(tenant, at(-2000)) }),
        ...tasks.map((task) => insertWrite("task", task)),
      ]);
      assert.equal(commitTime, at(10));
      assert.deepEqual(await storage.list(tenant, "task", {}), [tasks[1], tasks[2], tasks[0]]);
      assert.deepEqual(await commitTimesOf(storage, tenant, 4, [10, 10]), newest > 10 ? [901, 902] : [11, 12]);
    }
  });

  test("a client that reads pages during commits receives every record", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const ids = Array.from({ length: 100 }, (_, index) => idOf(1, index + 1));
    let open = true;
    const commits = ids.map((id) =>
      storage.commit(tenant, startTime, (now) => [insertWrite("task", newTask(id, now))]),
    );
    const all = Promise.all(commits).finally(() => {
      open = false;
    });
    const received: string[] = [];
    for (let last: Position | undefined, more = true; more; ) {
      more = open;
      const page = await storage.list(tenant, "task", last === undefined ? {} : { after: last });
      received.push(...page.map(({ id }) => id));
      last = page.at(-1) ?? last;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    assert.deepEqual(received.toSorted(), ids);
  });

  test("200 concurrent commits succeed, and their times have the order of the list", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const times = new Map<string, number>();
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map(async (index) => {
        const id = idOf(1, index);
        times.set(id, await commitNow(storage, tenant, at(5), (now) => [insertWrite("task", newTask(id, now))]));
      }),
    );
    const list = await storage.list(tenant, "task", {});
    assert.deepEqual(
      list.map(({ updatedAt }) => updatedAt),
      numbers.map((_, index) => at(5 + index)),
    );
    assert.deepEqual(new Map(list.map(({ id, updatedAt }) => [id, updatedAt])), times);
  });
}
