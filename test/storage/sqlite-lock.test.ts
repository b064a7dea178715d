import assert from "node:assert/strict";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { commitNow, idOf, insertWrite, newIdempotencyRecord, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { StorageUnavailable } from "../../lib/storage/storage.ts";
import { addTask, lockTimeout, shared, testBoth } from "../support/sqlite-shared.ts";

testBoth(
  "reads continue while another connection holds the lock, and commits succeed after its release",
  async (commitWorker) => {
    const { file, storage, tenant, holder } = await shared(commitWorker);
    holder.exec("BEGIN IMMEDIATE");
    let settled = 0;
    const waiting = [1, 2, 3].map((index) => addTask(storage, tenant, index).finally(() => settled++));
    let isRejected = false;
    const failure = lockTimeout(file, commitWorker).finally(() => {
      isRejected = true;
    });
    while (!isRejected) {
      assert.equal((await storage.get(tenant, "tenant", tenant))?.id, tenant);
      await turn();
    }
    await failure;
    assert.equal(settled, 0);
    holder.exec("COMMIT");
    assert.deepEqual(await Promise.all(waiting), [startTime + 1, startTime + 2, startTime + 3]);
    holder.close();
    await storage.close();
  },
);

testBoth("each commit rejects with StorageUnavailable after it has waited lockTimeoutMs", async (commitWorker) => {
  const { file, storage, tenant, holder } = await shared(commitWorker, { lockTimeoutMs: 3_000 });
  holder.exec("BEGIN IMMEDIATE");
  let failure: unknown;
  addTask(storage, tenant, 1).catch((error: unknown) => {
    failure = error;
  });
  let turns = 0;
  for (; failure === undefined; turns++) {
    assert.deepEqual(await storage.list(tenant, "task", {}), []);
    await turn();
  }
  assert.ok(failure instanceof StorageUnavailable, `${failure}`);
  // An attempt that blocks the event loop until the timeout leaves only one or two.
  assert.ok(turns > 5, `only ${turns} turns of the event loop`);
  const second = addTask(storage, tenant, 2);
  await lockTimeout(file, commitWorker);
  holder.exec("COMMIT");
  assert.equal(await second, startTime + 1);
  assert.equal((await storage.list(tenant, "task", {})).length, 1);
  holder.close();
  await storage.close();
});

testBoth("pruneIdempotencyRecords waits for the lock like a commit", async (commitWorker) => {
  const { file, storage, tenant, holder } = await shared(commitWorker);
  await commitNow(storage, tenant, startTime, (at) => [
    insertWrite("idempotencyRecord", newIdempotencyRecord(idOf(1, 1), at)),
  ]);
  holder.exec("BEGIN IMMEDIATE");
  const pruned = storage.pruneIdempotencyRecords(startTime + 10);
  await lockTimeout(file, commitWorker);
  holder.exec("COMMIT");
  assert.equal(await pruned, 1);
  assert.deepEqual(await storage.list(tenant, "idempotencyRecord", {}), []);
  holder.close();
  await storage.close();
});

testBoth("commits beyond the first 1,000 that wait for the lock are rejected at once", async (commitWorker) => {
  const { storage, tenant, holder } = await shared(commitWorker, { lockTimeoutMs: 20 });
  holder.exec("BEGIN IMMEDIATE");
  await assert.rejects(addTask(storage, tenant, 0), StorageUnavailable);
  const many = Array.from({ length: 1_500 }, (_, index) => addTask(storage, tenant, index));
  await assert.rejects(many.at(-1) ?? Promise.resolve(), StorageUnavailable);
  holder.exec("COMMIT");
  const outcomes = await Promise.allSettled(many);
  const committed = outcomes.filter(({ status }) => status === "fulfilled").length;
  assert.deepEqual([committed, (await storage.list(tenant, "task", {})).length], [1_000, 1_000]);
  holder.close();
  await storage.close();
});

testBoth("close() rejects the commits and prunes that wait for the lock", async (commitWorker) => {
  const { storage, tenant, holder } = await shared(commitWorker);
  holder.exec("BEGIN IMMEDIATE");
  const swept = assert.rejects(storage.pruneIdempotencyRecords(startTime), StorageUnavailable);
  const waiting = assert.rejects(addTask(storage, tenant, 1), StorageUnavailable);
  await storage.close();
  await Promise.all([swept, waiting]);
  holder.close();
});

test("a database can be opened while another connection holds its lock", async () => {
  const { file, storage, tenant, holder } = await shared();
  holder.exec("BEGIN IMMEDIATE");
  const other = sqliteStorage({ file });
  assert.equal((await other.get(tenant, "tenant", tenant))?.id, tenant);
  holder.close();
  await other.close();
  await storage.close();
});

testBoth("close() stops a commit that waits for the lock from opening the file later", async (commitWorker, t) => {
  const { file, storage, tenant, holder } = await shared(commitWorker);
  holder.prepare("VACUUM INTO ?").run(`${dirname(file)}.copy`);
  holder.exec("BEGIN IMMEDIATE");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  /** Lets the storage try several times to get the lock. */
  const retry = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns++) {
      t.mock.timers.tick(1_000);
      await turn();
    }
  };
  const waiting = assert.rejects(addTask(storage, tenant, 1), StorageUnavailable);
  await retry();
  await storage.close();
  await waiting;
  holder.close();
  fs.rmSync(dirname(file), { recursive: true });
  fs.mkdirSync(dirname(file));
  fs.renameSync(`${dirname(file)}.copy`, file);
  await retry();
  assert.deepEqual(fs.readdirSync(dirname(file)), ["crm.db"]);
});
