import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import type { Position, Query, Storage } from "../storage.ts";
import { getAndCheckJson, listAndCheckJson } from "./checked-reads.ts";
import type { TestFunctions } from "./harness.ts";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime, updateWrite } from "./records.ts";

const at = (offset: number): number => startTime + offset;
const position = (offset: number, index: number): Position => ({ updatedAt: at(offset), id: idOf(1, index) });

/**
 * Queries with the numbers of the tasks that they return. The order of `createTasks` is 2 3 4 5 6 7 1; 6 is archived.
 */
const cases: readonly (readonly [Query, readonly number[]])[] = [
  [{}, [2, 3, 4, 5, 7, 1]],
  [{ includeArchived: false }, [2, 3, 4, 5, 7, 1]],
  [{ includeArchived: true }, [2, 3, 4, 5, 6, 7, 1]],
  [{ where: {} }, [2, 3, 4, 5, 7, 1]],
  // `after` excludes its position. There may be no record at that position.
  [{ after: position(10, 2) }, [3, 4, 5, 7, 1]],
  [{ after: position(10, 3) }, [4, 5, 7, 1]],
  [{ after: position(10, 99) }, [4, 5, 7, 1]],
  [{ after: position(30, 6) }, [7, 1]],
  [{ after: position(40, 1) }, []],
  [{ after: position(30, 5), includeArchived: true }, [6, 7, 1]],
  [{ after: position(30, 6), includeArchived: true }, [7, 1]],
  // `updatedSince` includes its time.
  [{ updatedSince: at(10) }, [2, 3, 4, 5, 7, 1]],
  [{ updatedSince: at(11) }, [4, 5, 7, 1]],
  [{ updatedSince: at(20) }, [4, 5, 7, 1]],
  [{ updatedSince: at(30), includeArchived: true }, [5, 6, 7, 1]],
  [{ updatedSince: at(41) }, []],
  // With both, the later position counts.
  [{ after: position(10, 2), updatedSince: at(10) }, [3, 4, 5, 7, 1]],
  [{ after: position(10, 2), updatedSince: at(20) }, [4, 5, 7, 1]],
  [{ after: position(20, 4), updatedSince: at(20) }, [5, 7, 1]],
  [{ after: position(30, 5), updatedSince: at(10) }, [7, 1]],
  [{ after: position(30, 5), updatedSince: at(30), includeArchived: true }, [6, 7, 1]],
  [{ limit: 1 }, [2]],
  [{ limit: 5 }, [2, 3, 4, 5, 7]],
  [{ limit: 99 }, [2, 3, 4, 5, 7, 1]],
  [{ limit: 5, includeArchived: true }, [2, 3, 4, 5, 6]],
  [{ limit: 1, after: position(10, 2) }, [3]],
  [{ limit: 2, updatedSince: at(30), includeArchived: true }, [5, 6]],
  [{ limit: 1, after: position(20, 4), updatedSince: at(10), includeArchived: true }, [5]],
];

/** Declares the tests of list order and paging. */
export function listContract({ test }: TestFunctions): void {
  test("list() sorts by updatedAt and id, and respects after, updatedSince and limit", async (storage) => {
    const tasks = await createTasks(storage);
    for (const [query, expected] of cases) {
      const found = await listAndCheckJson(storage, idOf(1, 0), "task", query);
      assert.deepEqual(
        found,
        expected.map((index) => tasks.get(index)),
        JSON.stringify(query),
      );
    }
  });

  for (const includeArchived of [false, true]) {
    const scope = includeArchived ? "with archived records" : "without archived records";
    test(`list() returns the whole list in pages of any size, ${scope}`, async (storage) => {
      await createTasks(storage);
      const list = await listAndCheckJson(storage, idOf(1, 0), "task", { includeArchived });
      for (const limit of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const read: Records["task"][] = [];
        // One page more than needed. A storage that doesn't exclude `after` must not cause an endless loop.
        for (let pages = 0; pages <= list.length; pages++) {
          const last = read.at(-1);
          const after = last && { updatedAt: last.updatedAt, id: last.id };
          const page = await listAndCheckJson(storage, idOf(1, 0), "task", {
            includeArchived,
            limit,
            ...(after && { after }),
          });
          if (page.length === 0) break;
          read.push(...page);
        }
        assert.deepEqual(read, list, `limit ${limit}`);
      }
    });
  }

  test("list() returns no records of other tenants at the same position", async (storage) => {
    const tasks = await createTasks(storage);
    const other = await createTenant(storage, 2);
    await storage.commit(other, at(10), (now) => [insertWrite("task", newTask(idOf(1, 2), now, { title: "Theirs" }))]);
    const found = await listAndCheckJson(storage, idOf(1, 0), "task", { updatedSince: at(10), limit: 2 });
    assert.deepEqual(found, [tasks.get(2), tasks.get(3)]);
    const theirs = await listAndCheckJson(storage, other, "task", { after: position(10, 1) });
    assert.deepEqual(theirs, [newTask(idOf(1, 2), at(10), { title: "Theirs" })]);
  });

  test("list() excludes an archived record, and returns it as the newest after it is restored", async (storage) => {
    const tasks = await createTasks(storage);
    const before = tasks.get(2) as Records["task"];
    const archived = { ...before, updatedAt: at(50), archivedAt: at(50) };
    await commitNow(storage, idOf(1, 0), at(50), () => [updateWrite("task", before, archived)]);
    assert.deepEqual(await getAndCheckJson(storage, idOf(1, 0), "task", before.id), archived);
    assert.deepEqual(await listAndCheckJson(storage, idOf(1, 0), "task", { updatedSince: at(50) }), []);
    assert.deepEqual(
      await listAndCheckJson(storage, idOf(1, 0), "task", { updatedSince: at(50), includeArchived: true }),
      [archived],
    );
    const restored = { ...before, updatedAt: at(60) };
    await commitNow(storage, idOf(1, 0), at(60), () => [updateWrite("task", archived, restored)]);
    assert.deepEqual(await listAndCheckJson(storage, idOf(1, 0), "task", { after: position(40, 1) }), [restored]);
  });
}

/** Commits tasks 3, 1 and 2 together, then 4, then 7, 6 (archived) and 5 together, and then an update of 1. */
async function createTasks(storage: Storage): Promise<ReadonlyMap<number, Records["task"]>> {
  const tenant = await createTenant(storage, 1);
  const tasks = new Map<number, Records["task"]>();
  const make = (index: number, now: number, archivedAt: number | null = null) => {
    tasks.set(index, newTask(idOf(1, index), now, { archivedAt }));
    return insertWrite("task", tasks.get(index) as Records["task"]);
  };
  await storage.commit(tenant, at(10), (now) => [make(3, now), make(1, now), make(2, now)]);
  await storage.commit(tenant, at(20), (now) => [make(4, now)]);
  await storage.commit(tenant, at(30), (now) => [make(7, now), make(6, now, now), make(5, now)]);
  const first = tasks.get(1) as Records["task"];
  tasks.set(1, { ...first, title: "Again", updatedAt: at(40) });
  await storage.commit(tenant, at(40), () => [updateWrite("task", first, tasks.get(1) ?? {})]);
  return tasks;
}
