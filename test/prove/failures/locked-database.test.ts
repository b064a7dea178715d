import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds } from "../../support/harness.ts";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, seededRandom, size } from "../size.ts";
import { startLineProgram, stopLineProgram } from "./line-program.ts";
import { tenantWithKeys } from "./many-keys.ts";
import { Ledger } from "./task-ledger.ts";

const harness = "locked-database";
const timeout = size(180_000, 1_200_000);
const manyKeys = tenantWithKeys(60);
/** Maximum time that the event loop may be blocked while another process holds the lock. */
const maxBlockedMs = 150;

/** Creates a database with the tenant, and starts another program that has it open. */
async function shared(t: TestContext) {
  const data = join(temporaryFolder(t), "data");
  const file = join(data, "crm.db");
  const storage = sqliteStorage({ file });
  await loadTenantFile(storage, manyKeys.file, { clock: systemClock, newId: sequentialIds() });
  await storage.close();
  return { data, file, holder: await startLineProgram(t, "failures/lock.holder.ts", file) };
}

/** Starts clients that write and clients that read until the returned function is called. */
function load(ledger: Ledger, writers: number, readers: number) {
  let isDone = false;
  const reads = { count: 0, slowestMs: 0 };
  const repeat = async (once: () => Promise<void>): Promise<void> => {
    while (!isDone) await once().then(() => pause(20));
  };
  const write = async (): Promise<void> => void (await ledger.make());
  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    assert.equal((await ledger.read("/tasks?limit=5")).status, 200);
    reads.count++;
    reads.slowestMs = Math.max(reads.slowestMs, performance.now() - startedAt);
  };
  const clients = [...Array(writers).fill(write), ...Array(readers).fill(read)].map(repeat);
  return async () => {
    isDone = true;
    await Promise.all(clients);
    return reads;
  };
}

test("while another process holds the lock, reads work and writes get 503", {
  timeout,
}, async (t) => {
  const { file, holder } = await shared(t);
  const program = await startLineProgram(t, "failures/locked-server.program.ts", file);
  const ledger = new Ledger(program.firstLine, manyKeys.keys);
  const longest = async () => Math.round(Number(await program.send("longest")));
  await ledger.make();
  await longest();

  const stopFree = load(ledger, 4, 4);
  await pause(size(2_000, 20_000));
  await stopFree();
  const free = await longest();
  assert.equal(ledger.statuses.get(503), undefined);

  const held: number[] = [];
  let reads = 0;
  for (let round = 0; round < size(1, 10); round++) {
    for (const isStopped of [false, true]) {
      await holder.send("BEGIN IMMEDIATE");
      await longest();
      if (isStopped) holder.child.kill("SIGSTOP");
      const made = ledger.acknowledged;
      const stop = load(ledger, 4, 4);
      await pause(isStopped ? 1_000 : 5_500);
      const seen = stop();
      reads += (await seen).count;
      assert.equal(ledger.acknowledged, made, "a task was created while another process held the lock");
      held.push(await longest());
      holder.child.kill("SIGCONT");
      await holder.send("COMMIT");
      await ledger.retry();
      await ledger.assertAllCreated();
    }
  }
  const most = Math.max(...held);
  t.diagnostic(`the event loop was blocked for ${held} ms under the lock, for ${free} ms without`);
  assert.ok(most <= maxBlockedMs, `the event loop was blocked for ${most} ms under the lock, for ${free} ms without`);
  const rejected = ledger.statuses.get(503) ?? 0;
  assert.ok(rejected > 0 && reads > 0, `${rejected} rejected, ${reads} read`);
  assert.equal(await stopLineProgram(program), 0);
  const blocked = { "ms blocked without a lock": free, "ms blocked with it": most };
  figures(t, harness, { holds: held.length, reads, "responses 503": rejected, ...blocked });
});

test("every write succeeds while another process repeatedly takes the lock for under five seconds", {
  timeout,
}, async (t) => {
  const { file, holder } = await shared(t);
  const program = await startLineProgram(t, "failures/locked-server.program.ts", file);
  const ledger = new Ledger(program.firstLine, manyKeys.keys);
  const stop = load(ledger, 8, 2);
  const random = seededRandom();
  const holds = size(6, 100);
  for (let hold = 0; hold < holds; hold++) {
    await holder.send("BEGIN IMMEDIATE");
    await pause(random() * 700);
    await holder.send("COMMIT");
    await pause(random() * 200);
  }
  await stop();
  assert.deepEqual([...ledger.statuses.keys()], [201]);
  await ledger.assertAllCreated();
  figures(t, harness, { holds, tasks: ledger.size });
});

test("waiting writes succeed after the process that holds the lock is killed", { timeout }, async (t) => {
  const { file, holder } = await shared(t);
  const program = await startLineProgram(t, "failures/locked-server.program.ts", file);
  const ledger = new Ledger(program.firstLine, manyKeys.keys);
  await holder.send("BEGIN IMMEDIATE");
  await holder.send("UPDATE tasks SET title = 'never committed'");
  const waiting = Array.from({ length: 20 }, () => ledger.make());
  await ledger.read("/me");
  holder.child.kill("SIGKILL");
  await once(holder.child, "close");
  assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([201]));
  await ledger.assertAllCreated();
});

test("a program stopped while another process holds the lock responds to waiting requests and exits with 0", {
  timeout,
}, async (t) => {
  const { data, holder } = await shared(t);
  const program = await serving(t, "--data", data);
  const ledger = new Ledger(program.greeting.baseUrl, manyKeys.keys.slice(0, 1));
  await ledger.make();
  await holder.send("BEGIN IMMEDIATE");
  const waiting = Array.from({ length: 20 }, () => ledger.make());
  // The rate limit shows how many requests the server has accepted.
  for (let reads = 1, begun = 0; begun < 21; reads++) {
    const { headers } = await ledger.read("/me");
    begun = 300 - Number(headers.get("x-ratelimit-remaining")) - reads;
  }
  program.child.kill("SIGTERM");
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([503]));
  assert.equal((await program.ended).code, 0);
  await holder.send("COMMIT");
  ledger.baseUrl = (await serving(t, "--data", data)).greeting.baseUrl;
  assert.equal(await ledger.retry(), 20);
  await ledger.assertAllCreated();
});
