import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, insertWrite, newTask } from "../../lib/storage/contract/records.ts";
import { planCommits } from "../../lib/storage/postgres/transaction.ts";

/** Returns a commit of `count` tasks at the time `now`. */
const commit = (now: number, count: number) => ({
  now,
  propose: (at: number) =>
    Array.from({ length: count }, (_, index) => insertWrite("task", newTask(idOf(at, index), at))),
});

const plans = [
  ["a commit after the clock has its own time", [commit(20, 1)], { firstCommitTime: 20, finalClock: 20, times: [20] }],
  [
    "a commit before the clock follows the last commit",
    [commit(5, 1)],
    { firstCommitTime: 11, finalClock: 11, times: [11] },
  ],
  [
    "commits are in sequence",
    [commit(20, 2), commit(15, 1)],
    { firstCommitTime: 20, finalClock: 21, times: [20, 20, 21] },
  ],
  [
    "a commit without writes doesn't advance the clock",
    [commit(99, 0), commit(5, 1)],
    { firstCommitTime: 11, finalClock: 11, times: [11] },
  ],
  ["no writes", [commit(99, 0)], { firstCommitTime: 99, finalClock: 10, times: [] }],
] as const;

for (const [what, commits, expected] of plans) {
  test(`planCommits() with a clock of 10: ${what}`, () => {
    const { writes, conflicts, ...rest } = planCommits(10, commits);
    assert.deepEqual(
      conflicts,
      commits.map(() => undefined),
    );
    assert.deepEqual({ ...rest, times: writes.map(({ record }) => record.updatedAt) }, expected);
  });
}

test("planCommits() of a locked tenant leaves out a commit that expects another settings version", () => {
  const commits = [5, 9].map((settingsVersion) => ({ ...commit(20, 1), conditions: { settingsVersion } }));
  const { writes, conflicts, finalClock } = planCommits(10, commits, { tenant: idOf(1, 0), settingsVersion: 9 });
  assert.deepEqual(
    conflicts.map((conflict) => conflict?.field),
    ["settingsVersion", undefined],
  );
  assert.deepEqual([writes.length, finalClock], [1, 20]);
});
