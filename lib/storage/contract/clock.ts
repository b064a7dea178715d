import assert from "node:assert/strict";
import type { Position, Storage } from "../storage.ts";
import type { Tests } from "./harness.ts";
import { baseFields, commitNow, createTenant, idOf, insert, newTask, startTime, update } from "./records.ts";

const at = (offset: number): number => startTime + offset;

/** Commits one task at each of these times and answers the instants that they got. */
async function instantsOf(storage: Storage, tenant: string, from: number, offsets: readonly number[]) {
  const instants: number[] = [];
  for (const [index, offset] of offsets.entries()) {
    const id = idOf(1, from + index);
    instants.push(
      (await commitNow(storage, tenant, at(offset), (now) => [insert("task", newTask(id, now))])) - startTime,
    );
  }
  return instants;
}

/** The instants that commits get: each tenant's own, and always later than the last. */
export function clockContract({ test, reopenTest }: Tests): void {
  test("commit passes propose a time that is at least now and later than the last commit", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const offsets = [10, 10, 10, 9, -5000, 13, 14, 100, 50, 102];
    const got = await instantsOf(storage, tenant, 1, offsets);
    for (const [index, time] of got.entries()) {
      assert.ok(time >= (offsets[index] as number), `${time}`);
      assert.ok(time > (got[index - 1] ?? Number.NEGATIVE_INFINITY), `${got}`);
    }
  });

  reopenTest("instants go on increasing after the storage was closed and opened", async (storage, reopen) => {
    const tenant = await createTenant(storage, 1);
    assert.deepEqual(await instantsOf(storage, tenant, 1, [10, 10]), [10, 11]);
    const again = await reopen();
    assert.deepEqual(await instantsOf(again, tenant, 3, [11, -5000]), [12, 13]);
  });

  test("each tenant has a clock of its own", async (storage) => {
    const [one, two] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    assert.deepEqual(await instantsOf(storage, one, 1, [500, 500]), [500, 501]);
    assert.deepEqual(await instantsOf(storage, two, 1, [10, 10]), [10, 11]);
    assert.deepEqual(await instantsOf(storage, one, 3, [10]), [502]);
  });

  test("a commit that is refused, or writes nothing, does not move the clock", async (storage) => {
    const tenant = await createTenant(storage, 1);
    assert.deepEqual(await instantsOf(storage, tenant, 1, [10]), [10]);
    await commitNow(storage, tenant, at(1000), () => []);
    await assert.rejects(instantsOf(storage, tenant, 1, [1001]));
    await assert.rejects(
      storage.commit(tenant, at(1002), () => {
        throw new Error("no");
      }),
    );
    await assert.rejects(storage.commit(tenant, at(1003), () => [insert("task", newTask(idOf(1, 9), startTime))]));
    assert.deepEqual(await instantsOf(storage, tenant, 2, [10]), [11]);
    assert.deepEqual(await instantsOf(storage, tenant, 3, [12]), [12]);
  });

  test("a record that does not carry its commit's instant is refused with a TypeError, and nothing is kept", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const kept = newTask(idOf(1, 1), at(10));
    await storage.commit(tenant, at(10), () => [insert("task", kept)]);
    const wrong = [at(10), at(19), at(21), 0];
    for (const updatedAt of wrong) {
      const good = (now: number) => insert("task", newTask(idOf(1, 2), now));
      const insertion = insert("task", { ...newTask(idOf(1, 3), at(20)), updatedAt });
      await assert.rejects(
        storage.commit(tenant, at(20), (now) => [good(now), insertion]),
        TypeError,
      );
      const change = update("task", kept, { title: "Other", updatedAt });
      await assert.rejects(
        storage.commit(tenant, at(20), (now) => [good(now), change]),
        TypeError,
      );
    }
    assert.deepEqual(await storage.list(tenant, "task", { includeArchived: true }), [kept]);
  });

  test("the commit that creates a tenant may bring a history along, and later ones come after its newest time", async (storage) => {
    for (const [number, newest] of [[1, 900] as const, [2, -900] as const, [3, 10] as const]) {
      const tenant = idOf(number, 0);
      const tasks = [
        newTask(idOf(1, 1), at(newest)),
        newTask(idOf(1, 2), at(-1000)),
        newTask(idOf(1, 3), at(newest - 1)),
      ];
      const born = await commitNow(storage, tenant, at(10), () => [
        insert("tenant", { name: "Tenant", ...baseFields(tenant, at(-2000)) }),
        ...tasks.map((task) => insert("task", task)),
      ]);
      assert.equal(born, at(10));
      assert.deepEqual(await storage.list(tenant, "task", {}), [tasks[1], tasks[2], tasks[0]]);
      assert.deepEqual(await instantsOf(storage, tenant, 4, [10, 10]), newest > 10 ? [901, 902] : [11, 12]);
    }
  });

  test("a walk along the list while commits are made meets every record", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const ids = Array.from({ length: 100 }, (_, index) => idOf(1, index + 1));
    let open = true;
    const commits = ids.map((id) => storage.commit(tenant, startTime, (now) => [insert("task", newTask(id, now))]));
    const all = Promise.all(commits).finally(() => {
      open = false;
    });
    const met: string[] = [];
    for (let last: Position | undefined, more = true; more; ) {
      more = open;
      const page = await storage.list(tenant, "task", last === undefined ? {} : { after: last });
      met.push(...page.map(({ id }) => id));
      last = page.at(-1) ?? last;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    assert.deepEqual(met.toSorted(), ids);
  });

  test("200 commits at once all succeed, with instants that increase in the order of the list", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const instants = new Map<string, number>();
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map(async (index) => {
        const id = idOf(1, index);
        instants.set(id, await commitNow(storage, tenant, at(5), (now) => [insert("task", newTask(id, now))]));
      }),
    );
    const list = await storage.list(tenant, "task", {});
    assert.deepEqual(
      list.map(({ updatedAt }) => updatedAt),
      numbers.map((_, index) => at(5 + index)),
    );
    assert.deepEqual(new Map(list.map(({ id, updatedAt }) => [id, updatedAt])), instants);
  });
}
