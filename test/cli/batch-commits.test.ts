import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchCommits } from "../../bin/import/batch-commits.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

test("a combined commit isn't before the time of any of its commits", async () => {
  const storage = memoryStorage();
  const commits = new BatchCommits(storage);
  const times: number[] = [];
  const commit = (now: number) =>
    commits.commit("tenant", now, (at) => {
      times.push(at);
      return [];
    });
  await Promise.all([commit(5), commit(7), commit(6)]);
  assert.deepEqual(times, [7, 7, 7]);
});
