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

/** Creates a storage with one tenant, and collects the worker threads that it starts. */
async function openWatched(t: TestContext, options: Omit<SqliteOptions, "file">) {
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

/** Returns the number of reads that ran during a large commit, one per turn of the event loop. */
async function turnsOfLongCommit(storage: Storage, tenant: string): Promise<number> {
  let isDone = false;
  const tasks = (at: number) =>
    Array.from({ length: 2_000 }, (_, index) => insertWrite("task", newTask(idOf(1, index), at)));
  const commit = storage.commit(tenant, startTime, tasks).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) {
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
    const { storage, tenant, threads } = await openWatched(t, { commitWorker });
    turns.push(await turnsOfLongCommit(storage, tenant));
    await storage.close();
    assert.equal(threads.length, commitWorker ? 1 : 0);
  }
  const [without = 0, withThread = 0] = turns;
  assert.ok(without < 5, `${without} turns`);
  assert.ok(withThread > 20, `${withThread} turns`);
});

test("a storage starts its commit worker after commits have blocked the event loop for long enough", async (t) => {
  const { storage, tenant, threads } = await openWatched(t, {});
  await addTask(storage, tenant, 0);
  assert.equal(threads.length, 0);
  let index = 1;
  while (threads.length === 0 && index < 100_000) await addTask(storage, tenant, index++);
  await once(threads[0] ?? assert.fail("no worker was started"), "message");
  await Promise.all([1, 2, 3].map((more) => addTask(storage, tenant, index + more)));
  await storage.close();
  assert.equal(threads.length, 1);
});

test("the young generation of a commit worker has at most 3 MiB", async (t) => {
  const { storage, tenant, threads } = await openWatched(t, { commitWorker: true });
  await addTask(storage, tenant, 0);
  const worker = threads[0] ?? assert.fail("no worker was started");
  const { heap_size_limit: limit } = await worker.getHeapStatistics();
  const { maxOldGenerationSizeMb = 0 } = worker.resourceLimits ?? {};
  await storage.close();
  assert.equal(limit / 1024 ** 2 - maxOldGenerationSizeMb, 3);
});

test("a fast commit without others and without reads since the last one runs on the calling thread", async (t) => {
  const { storage, tenant, threads } = await openWatched(t, {});
  let [now, stepMs, index, batches] = [0, 200, 3_000, 0];
  t.mock.method(performance, "now", () => {
    now += stepMs;
    return now;
  });
  const add = () => addTask(storage, tenant, index++);
  /** Returns the number of transactions on the commit worker. */
  const onWorker = async (work: () => Promise<unknown>): Promise<number> => {
    batches = 0;
    await work();
    return batches;
  };
  await add();
  await add();
  const [worker = assert.fail("no worker was started")] = threads;
  await once(worker, "message");
  worker.on("message", () => batches++);
  stepMs = 0;
  assert.equal(await onWorker(add), 1, "the first");
  assert.equal(await onWorker(add), 0, "the second");
  const reads: readonly (() => Promise<unknown>)[] = [
    () => storage.getJson(tenant, "task", idOf(1, 3_000)),
    () => storage.listJson(tenant, "task", { limit: 1 }),
    () => storage.search(tenant, { words: ["task"], kinds: ["task"], limit: 1 }),
    () => storage.activeOpportunities(tenant, ["ann@a.test"], 1),
  ];
  for (const read of reads) {
    await read();
    assert.equal(await onWorker(add), 1, `after ${read}`);
    assert.equal(await onWorker(add), 1, `the next after ${read}`);
    assert.equal(await onWorker(add), 0, `the last after ${read}`);
  }
  assert.equal(await onWorker(() => Promise.all([add(), add()])), 1, "two at once");
  assert.equal(await onWorker(add), 1, "after two at once");
  assert.equal(await onWorker(add), 0, "after one");
  assert.equal(await onWorker(() => storage.commit(tenant, startTime, many)), 1, "many writes");
  await add();
  await add();
  stepMs = 6;
  assert.equal(await onWorker(add), 0, "a slow one");
  assert.equal(await onWorker(add), 1, "after a slow one");
  assert.equal(await onWorker(add), 1, "after two slow ones");
  await storage.close();
});

test("close() keeps the process alive until a starting commit worker has stopped", async (t) => {
  const child = spawn(process.execPath, ["--import", "tsx", "test/support/thread-probe.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  assert.equal(await text(child.stdout), "closed");
});

test("a storage in memory starts no commit worker", async (t) => {
  const { storage, tenant, threads } = await openWatched(t, { file: ":memory:", commitWorker: true } as SqliteOptions);
  await addTask(storage, tenant, 1);
  await storage.close();
  assert.equal(threads.length, 0);
});

test("a commit worker that dies fails only its current commit, and later commits succeed", async (t) => {
  const { storage, tenant, threads, file } = await openWatched(t, { commitWorker: true });
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

test("a commit worker leaves a file that replaced the database unchanged and reports an error", async (t) => {
  const errors: string[] = [];
  const onCommitWorkerError = (error: Error): void => void errors.push(error.message);
  const { storage, tenant, file, threads } = await openWatched(t, { onCommitWorkerError });
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
  assert.ok(fs.readFileSync(file).equals(bytes), "the file was changed");
  fs.renameSync(`${file}.away`, file);
  await addTask(storage, tenant, index);
  assert.deepEqual(errors, [`${file} was replaced while it was open.`]);
  await storage.close();
});

test("onCommitWorkerError receives the error of a commit worker that can't open the file, and commits succeed", async (t) => {
  const errors: string[] = [];
  const { storage, tenant, file, threads } = await openWatched(t, {
    onCommitWorkerError: (error) => errors.push(error.message),
  });
  process.once("worker", () => fs.renameSync(file, `${file}.away`));
  let index = 0;
  // The last commit fails, because the file is already missing.
  while (threads.length === 0 && index < 100_000) await addTask(storage, tenant, index++).catch(() => {});
  await new Promise((resolve) => threads[0]?.once("exit", resolve));
  fs.renameSync(`${file}.away`, file);
  await addTask(storage, tenant, index);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", /was replaced while it was open/);
  await storage.close();
});

test("onCommitWorkerError is called once if no worker can be started, and commits succeed", async (t) => {
  const errors: string[] = [];
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
  const onCommitWorkerError = (error: Error): void => void errors.push(error.message);
  const { storage, tenant } = await openWatched(t, { commitWorker: true, onCommitWorkerError });
  for (const index of [1, 2]) await addTask(storage, tenant, index);
  assert.equal((await storage.list(tenant, "task", {})).length, 2);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", /--no-such-flag/);
  await storage.close();
});
