import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import type { Position, Query, Storage } from "../storage.ts";
import { getChecked, listChecked } from "./checked-reads.ts";
import type { Tests } from "./harness.ts";
import { commitNow, createTenant, idOf, insert, newTask, startTime, update } from "./records.ts";

const at = (offset: number): number => startTime + offset;
const place = (offset: number, index: number): Position => ({ updatedAt: at(offset), id: idOf(1, index) });

/** What a query answers, as the numbers of the tasks that `sevenTasks` made. In their order they are 2 3 4 5 (6) 7 1. */
const answers: readonly (readonly [Query, readonly number[]])[] = [
  [{}, [2, 3, 4, 5, 7, 1]],
  [{ includeArchived: false }, [2, 3, 4, 5, 7, 1]],
  [{ includeArchived: true }, [2, 3, 4, 5, 6, 7, 1]],
  [{ where: {} }, [2, 3, 4, 5, 7, 1]],
  // `after` leaves out the place itself, which need not be that of a record.
  [{ after: place(10, 2) }, [3, 4, 5, 7, 1]],
  [{ after: place(10, 3) }, [4, 5, 7, 1]],
  [{ after: place(10, 99) }, [4, 5, 7, 1]],
  [{ after: place(9, 99) }, [2, 3, 4, 5, 7, 1]],
  [{ after: place(30, 6) }, [7, 1]],
  [{ after: place(40, 1) }, []],
  [{ after: place(30, 5), includeArchived: true }, [6, 7, 1]],
  [{ after: place(30, 6), includeArchived: true }, [7, 1]],
  // `updatedSince` takes in what has that very time.
  [{ updatedSince: at(9) }, [2, 3, 4, 5, 7, 1]],
  [{ updatedSince: at(10) }, [2, 3, 4, 5, 7, 1]],
  [{ updatedSince: at(11) }, [4, 5, 7, 1]],
  [{ updatedSince: at(20) }, [4, 5, 7, 1]],
  [{ updatedSince: at(30), includeArchived: true }, [5, 6, 7, 1]],
  [{ updatedSince: at(41) }, []],
  // Together, the later of the two counts.
  [{ after: place(10, 2), updatedSince: at(9) }, [3, 4, 5, 7, 1]],
  [{ after: place(10, 2), updatedSince: at(10) }, [3, 4, 5, 7, 1]],
  [{ after: place(10, 2), updatedSince: at(20) }, [4, 5, 7, 1]],
  [{ after: place(20, 4), updatedSince: at(20) }, [5, 7, 1]],
  [{ after: place(30, 5), updatedSince: at(10) }, [7, 1]],
  [{ after: place(30, 5), updatedSince: at(30), includeArchived: true }, [6, 7, 1]],
  [{ limit: 1 }, [2]],
  [{ limit: 2 }, [2, 3]],
  [{ limit: 5 }, [2, 3, 4, 5, 7]],
  [{ limit: 99 }, [2, 3, 4, 5, 7, 1]],
  [{ limit: 5, includeArchived: true }, [2, 3, 4, 5, 6]],
  [{ limit: 1, after: place(10, 2) }, [3]],
  [{ limit: 2, updatedSince: at(30), includeArchived: true }, [5, 6]],
  [{ limit: 1, after: place(20, 4), updatedSince: at(10), includeArchived: true }, [5]],
];

/** In which order lists come, and where they begin and end. */
export function listContract({ test }: Tests): void {
  test("a list is ordered by updatedAt and then id, and begins and ends where it is told to", async (storage) => {
    const tasks = await sevenTasks(storage);
    for (const [query, expected] of answers) {
      const got = await listChecked(storage, idOf(1, 0), "task", query);
      assert.deepEqual(
        got,
        expected.map((index) => tasks.get(index)),
        JSON.stringify(query),
      );
    }
  });

  for (const includeArchived of [false, true]) {
    const which = includeArchived ? "with the archived ones" : "without the archived ones";
    test(`pages of any size, put together, are the whole list, ${which}`, async (storage) => {
      await sevenTasks(storage);
      const whole = await listChecked(storage, idOf(1, 0), "task", { includeArchived });
      for (const limit of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const walked: Records["task"][] = [];
        // One page more than there can be: a place that is not left out must not make this go on for ever.
        for (let pages = 0; pages <= whole.length; pages++) {
          const last = walked.at(-1);
          const after = last && { updatedAt: last.updatedAt, id: last.id };
          const page = await listChecked(storage, idOf(1, 0), "task", {
            includeArchived,
            limit,
            ...(after && { after }),
          });
          if (page.length === 0) break;
          walked.push(...page);
        }
        assert.deepEqual(walked, whole, `limit ${limit}`);
      }
    });
  }

  test("a list knows nothing of what other tenants have in the same place", async (storage) => {
    const tasks = await sevenTasks(storage);
    const other = await createTenant(storage, 2);
    await storage.commit(other, at(10), (now) => [insert("task", newTask(idOf(1, 2), now, { title: "Theirs" }))]);
    const got = await listChecked(storage, idOf(1, 0), "task", { updatedSince: at(10), limit: 2 });
    assert.deepEqual(got, [tasks.get(2), tasks.get(3)]);
    const theirs = await listChecked(storage, other, "task", { after: place(10, 1) });
    assert.deepEqual(theirs, [newTask(idOf(1, 2), at(10), { title: "Theirs" })]);
  });

  test("what is archived leaves the list and comes back when it is restored, each time as the newest", async (storage) => {
    const tasks = await sevenTasks(storage);
    const before = tasks.get(2) as Records["task"];
    const archived = { ...before, updatedAt: at(50), archivedAt: at(50) };
    await commitNow(storage, idOf(1, 0), at(50), () => [update("task", before, archived)]);
    assert.deepEqual(await getChecked(storage, idOf(1, 0), "task", before.id), archived);
    assert.deepEqual(await listChecked(storage, idOf(1, 0), "task", { updatedSince: at(50) }), []);
    assert.deepEqual(await listChecked(storage, idOf(1, 0), "task", { updatedSince: at(50), includeArchived: true }), [
      archived,
    ]);
    const restored = { ...before, updatedAt: at(60) };
    await commitNow(storage, idOf(1, 0), at(60), () => [update("task", archived, restored)]);
    assert.deepEqual(await listChecked(storage, idOf(1, 0), "task", { after: place(40, 1) }), [restored]);
  });
}

/** Tasks 3, 1 and 2 in one commit, then 4, then 7, 6 (archived) and 5 in one, then 1 once more: by their numbers. */
async function sevenTasks(storage: Storage): Promise<ReadonlyMap<number, Records["task"]>> {
  const tenant = await createTenant(storage, 1);
  const tasks = new Map<number, Records["task"]>();
  const make = (index: number, now: number, archivedAt: number | null = null) => {
    tasks.set(index, newTask(idOf(1, index), now, { archivedAt }));
    return insert("task", tasks.get(index) as Records["task"]);
  };
  await storage.commit(tenant, at(10), (now) => [make(3, now), make(1, now), make(2, now)]);
  await storage.commit(tenant, at(20), (now) => [make(4, now)]);
  await storage.commit(tenant, at(30), (now) => [make(7, now), make(6, now, now), make(5, now)]);
  const first = tasks.get(1) as Records["task"];
  tasks.set(1, { ...first, title: "Again", updatedAt: at(40) });
  await storage.commit(tenant, at(40), () => [update("task", first, tasks.get(1) ?? {})]);
  return tasks;
}
