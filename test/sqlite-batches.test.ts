import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommitBatch, sqliteStorage } from "../lib/sqlite/index.ts";
import { WriteConflict } from "../lib/storage.ts";

const tenantId = "01950001-0000-7000-9000-000000000000";

test("the storage tells of each transaction how many commits shared it, how many were refused, and how long it took", async () => {
  const batches: CommitBatch[] = [];
  const storage = sqliteStorage({ file: ":memory:", onCommit: (batch) => void batches.push(batch) });
  const tenant = { id: tenantId, name: "One", createdAt: 1, archivedAt: null };
  const commit = () =>
    storage.commit(tenantId, 1, (at) => [{ op: "insert", kind: "tenant", record: { ...tenant, updatedAt: at } }]);
  const outcomes = await Promise.allSettled([commit(), commit(), commit()]);
  await storage.commit(tenantId, 1, () => []);
  await storage.close();
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason instanceof WriteConflict),
    [false, true, true],
  );
  assert.ok(batches.every(({ durationMs }) => durationMs > 0));
  assert.deepEqual(
    batches.map(({ commits, refused }) => [commits, refused]),
    [[3, 2]],
  );
});
