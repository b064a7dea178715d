import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import threads, { type Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { type SqliteOptions, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { type Storage, StorageUnavailable, type Write } from "../../lib/storage/storage.ts";
import { addTask, root } from "../support/sqlite-shared.ts";

let files = 0;

/** Creates a storage with one tenant, and collects the threads that it starts. */
async function watched(t: TestContext, options: Omit<SqliteOptions, "file">) {
  const started: Worker[] = [];
  const note = (worker: Worker): void => {
    if (worker.threadName === "commits") started.push(worker);
  };
  process.on("worker", note);
  t.after(() => process.off("worker", note));
  const file = join(root, `thread-${++files}`, "crm.db");
  const storage = sqliteStorage({ file, ...options });
  return { file, storage, threads: started, tenant: await createTenant(storage, 1) };
}

const manyCount = 2_000;

function many(at: number): Write[] {
  return Array.from({ length: manyCount }, (_, index) => insertWrite("task", newTask(idOf(1, 10 + index), at)));
}

/** Returns how many turns with a read the event loop made during a large commit. */
async function turnsOfLongCommit(storage: Storage, tenant: string): Promise<number> {
  let isOver = false;
  const tasks = (at: number) =>
    Array.from({ length: 2_000 }, (_, index) => insertWrite("task", newTask(idOf(1, index), at)));
  const commit = storage.commit(tenant, startTime, tasks).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) {
    await storage.get(tenant, "tenant", tenant);
    await turn();
  }
  await commit;
  assert.equal((await storage.list(tenant, "task", {})).length, manyCount);
  return turns;
}

test("reads continue during a large commit with commitWorker, and wait without it", async (t) => {
  const turns: number[] = [];
  for (const commitWorker of [false, true]) {
    const { storage, tenant, threads } = await watched(t, { commitWorker });
    turns.push(await turnsOfLongCommit(storage, tenant));
    await storage.close();
    assert.equal(threads.length, commitWorker ? 1 : 0);
  }
  const [without = 0, withThread = 0] = turns;
  assert.ok(without < 5, `${without} turns`);
  assert.ok(withThread > 20, `${withThread} turns`);
});

test("a storage starts its commit thread once commits have blocked the event loop for long enough", async (t) => {
  const { storage, tenant, threads } = await watched(t, {});
  await addTask(storage, tenant, 0);
  assert.equal(threads.length, 0);
  let index = 1;
  while (threads.length === 0 && index < 100_000) await addTask(storage, tenant, index++);
  await once(threads[0] ?? assert.fail("no thread was started"), "message");
  await Promise.all([1, 2, 3].map((more) => addTask(storage, tenant, index + more)));
  await storage.close();
  assert.equal(threads.length, 1);
});

test("close() keeps the process alive until a starting commit thread has stopped", async (t) => {
  const child = spawn(process.execPath, ["--import", "tsx", "test/support/thread-probe.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  assert.equal(await text(child.stdout), "closed");
});

test("a storage in memory starts no commit thread", async (t) => {
  const { storage, tenant, threads } = await watched(t, { file: ":memory:", commitWorker: true } as SqliteOptions);
  await addTask(storage, tenant, 1);
  await storage.close();
  assert.equal(threads.length, 0);
});

test("a commit thread that dies fails only its current commit, and later commits succeed", async (t) => {
  const { storage, tenant, threads, file } = await watched(t, { commitWorker: true });
  await addTask(storage, tenant, 1);
  const commit = storage.commit(tenant, startTime, many);
  void turn().then(() => threads[0]?.terminate());
  await assert.rejects(commit, StorageUnavailable);
  await addTask(storage, tenant, 3_000);
  await storage.close();
  const again = sqliteStorage({ file });
  const ids = (await again.list(tenant, "task", {})).map(({ id }) => id);
  await again.close();
  // The commit is stored completely or not at all.
  assert.ok([2, 2 + manyCount].includes(ids.length), `${ids.length} tasks`);
  assert.deepEqual([ids.at(0), ids.at(-1)], [idOf(1, 1), idOf(1, 3_000)]);
});

test("a commit thread leaves a file that replaced the database unchanged and reports an error", async (t) => {
  const lost: string[] = [];
  const onCommitWorkerError = (error: Error): void => void lost.push(error.message);
  const { storage, tenant, file, threads } = await watched(t, { onCommitWorkerError });
  const other = new Database(`${file}.other`);
  other.exec("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
  other.close();
  const bytes = fs.readFileSync(`${file}.other`);
  process.once("worker", () => {
    fs.renameSync(file, `${file}.away`);
    fs.renameSync(`${file}.other`, file);
  });
  let index = 0;
  while (threads.length === 0 && index < 100_000) await addTask(storage, tenant, index++).catch(() => {});
  await new Promise((resolve) => threads[0]?.once("exit", resolve).once("message", resolve));
  assert.ok(fs.readFileSync(file).equals(bytes), "it was changed");
  fs.renameSync(`${file}.away`, file);
  await addTask(storage, tenant, index);
  assert.deepEqual(lost, [`${file} was replaced while it was open.`]);
  await storage.close();
});

test("onCommitWorkerError receives the error of a commit thread that can't open the file, and commits succeed", async (t) => {
  const lost: string[] = [];
  const { storage, tenant, file, threads } = await watched(t, {
    onCommitWorkerError: (error) => lost.push(error.message),
  });
  process.once("worker", () => fs.renameSync(file, `${file}.away`));
  let index = 0;
  // The last commit fails, because the file is already away.
  while (threads.length === 0 && index < 100_000) await addTask(storage, tenant, index++).catch(() => {});
  await new Promise((resolve) => threads[0]?.once("exit", resolve));
  fs.renameSync(`${file}.away`, file);
  await addTask(storage, tenant, index);
  assert.equal(lost.length, 1);
  assert.match(lost[0] ?? "", /was replaced while it was open/);
  await storage.close();
});

test("onCommitWorkerError is called once if no thread can be started, and commits succeed", async (t) => {
  const lost: string[] = [];
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor() {
      super("throw 1", { eval: true, execArgv: ["--no-such-flag"] });
    }
  };
  syncBuiltinESMExports();
  t.after(() => {
    threads.Worker = Worker;
    syncBuiltinESMExports();
  });
  const onCommitWorkerError = (error: Error): void => void lost.push(error.message);
  const { storage, tenant } = await watched(t, { commitWorker: true, onCommitWorkerError });
  for (const index of [1, 2]) await addTask(storage, tenant, index);
  assert.equal((await storage.list(tenant, "task", {})).length, 2);
  assert.equal(lost.length, 1);
  assert.match(lost[0] ?? "", /--no-such-flag/);
  await storage.close();
});
