import assert from "node:assert/strict";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as turn } from "node:timers/promises";
import { commitNow, idOf, insertWrite, newIdempotencyRecord, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { StorageUnavailable } from "../../lib/storage/storage.ts";
import { addTask, shared, testBoth } from "../support/sqlite-shared.ts";

testBoth(
  "reads continue while another connection holds the lock, and commits succeed after its release",
  async (commitThread) => {
    const { storage, tenant, holder } = await shared(commitThread);
    holder.exec("BEGIN IMMEDIATE");
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let settled = 0;
    const waiting = [1, 2, 3].map((index) => addTask(storage, tenant, index).finally(() => settled++));
    for (let turns = 0; turns < 20; turns++) {
      await turn(1);
      assert.equal((await storage.get(tenant, "tenant", tenant))?.id, tenant);
    }
    assert.equal(settled, 0);
    holder.exec("COMMIT");
    assert.deepEqual(await Promise.all(waiting), [startTime + 1, startTime + 2, startTime + 3]);
    delay.disable();
    assert.ok(delay.max < 1e9, `the event loop stood still for ${delay.max / 1e6} ms`);
    holder.close();
    await storage.close();
  },
);

testBoth(
  "a commit rejects with StorageUnavailable after its own five seconds of waiting for the lock",
  async (commitThread) => {
    const { storage, tenant, holder } = await shared(commitThread);
    holder.exec("BEGIN IMMEDIATE");
    const begun = performance.now();
    let [first, second]: (Promise<unknown> | undefined)[] = [addTask(storage, tenant, 1)];
    let refused: unknown;
    first?.catch((error: unknown) => (refused = error));
    let turns = 0;
    for (; refused === undefined && performance.now() - begun < 20_000; turns++) {
      await turn(1);
      assert.deepEqual(await storage.list(tenant, "task", {}), []);
      if (performance.now() - begun > 3_000) second ??= addTask(storage, tenant, 2);
    }
    holder.exec("COMMIT");
    assert.ok(refused instanceof StorageUnavailable, `${refused}`);
    assert.ok(turns > 20, `only ${turns} turns of the event loop`);
    assert.equal(await second, startTime + 1);
    assert.equal((await storage.list(tenant, "task", {})).length, 1);
    holder.close();
    await storage.close();
  },
);

testBoth("pruneIdempotencyRecords waits for the lock like a commit", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
  await commitNow(storage, tenant, startTime, (at) => [
    insertWrite("idempotencyRecord", newIdempotencyRecord(idOf(1, 1), at)),
  ]);
  holder.exec("BEGIN IMMEDIATE");
  const swept = storage.pruneIdempotencyRecords(startTime + 10);
  for (let turns = 0; turns < 20; turns++) await turn(1);
  holder.exec("COMMIT");
  assert.equal(await swept, 1);
  assert.deepEqual(await storage.list(tenant, "idempotencyRecord", {}), []);
  holder.close();
  await storage.close();
});

testBoth("commits beyond the first 1,000 that wait for the lock are rejected at once", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
  holder.exec("BEGIN IMMEDIATE");
  const many = [addTask(storage, tenant, 0)];
  for (let turns = 0; turns < 20; turns++) await turn(1);
  while (many.length < 1_500) many.push(addTask(storage, tenant, many.length));
  await assert.rejects(many.at(-1) ?? Promise.resolve(), StorageUnavailable);
  holder.exec("COMMIT");
  const outcomes = await Promise.allSettled(many);
  const kept = outcomes.filter(({ status }) => status === "fulfilled").length;
  assert.deepEqual([kept, (await storage.list(tenant, "task", {})).length], [1_000, 1_000]);
  holder.close();
  await storage.close();
});

testBoth("close() rejects the commits and prunes that wait for the lock", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
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

testBoth("close() stops a commit that waits for the lock from opening the file later", async (commitThread) => {
  const { file, storage, tenant, holder } = await shared(commitThread);
  holder.prepare("VACUUM INTO ?").run(`${dirname(file)}.copy`);
  holder.exec("BEGIN IMMEDIATE");
  const waiting = assert.rejects(addTask(storage, tenant, 1), StorageUnavailable);
  for (let turns = 0; turns < 10; turns++) await turn(1);
  await storage.close();
  await waiting;
  holder.close();
  fs.rmSync(dirname(file), { recursive: true });
  fs.mkdirSync(dirname(file));
  fs.renameSync(`${dirname(file)}.copy`, file);
  // Longer than the interval between two attempts to take the lock.
  for (let turns = 0; turns < 60; turns++) await turn(1);
  assert.deepEqual(fs.readdirSync(dirname(file)), ["crm.db"]);
});
