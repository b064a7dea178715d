import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { type Storage, StorageUnavailable } from "../lib/storage.ts";
import { base, found, idOf, insert, newAnswer, newTask, put } from "../lib/storage-contract/records.ts";

const root = fs.mkdtempSync(join(tmpdir(), "crm-lock-"));
after(() => fs.rmSync(root, { recursive: true }));
let files = 0;

/** A storage on a new file with one tenant, and another connection to that file. */
async function shared(): Promise<{ file: string; storage: Storage; tenant: string; holder: Database.Database }> {
  const file = join(root, String(++files), "crm.db");
  const storage = sqliteStorage({ file });
  const tenant = await found(storage, 1);
  return { file, storage, tenant, holder: new Database(file) };
}

function addTask(storage: Storage, tenant: string, index: number): Promise<number> {
  return put(storage, tenant, base, (at) => [insert("task", newTask(idOf(1, index), at))]);
}

test("while another connection holds the lock reads and timers go on, and then the waiting commits succeed", async () => {
  const { storage, tenant, holder } = await shared();
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
  assert.deepEqual(await Promise.all(waiting), [base + 1, base + 2, base + 3]);
  delay.disable();
  assert.ok(delay.max < 1e9, `the event loop stood still for ${delay.max / 1e6} ms`);
  holder.close();
  await storage.close();
});

test("a commit that waits five seconds for the lock is refused as unavailable; one that came later waits its own five", async () => {
  const { storage, tenant, holder } = await shared();
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
  assert.equal(await second, base + 1);
  assert.equal((await storage.list(tenant, "task", {})).length, 1);
  holder.close();
  await storage.close();
});

test("a sweep waits for the lock as a commit does", async () => {
  const { storage, tenant, holder } = await shared();
  await put(storage, tenant, base, (at) => [insert("idempotencyRecord", newAnswer(idOf(1, 1), at))]);
  holder.exec("BEGIN IMMEDIATE");
  const swept = storage.sweep(base + 10);
  for (let turns = 0; turns < 20; turns++) await turn(1);
  holder.exec("COMMIT");
  assert.equal(await swept, 1);
  assert.deepEqual(await storage.list(tenant, "idempotencyRecord", {}), []);
  holder.close();
  await storage.close();
});

test("of very many commits that wait for the lock some are refused at once, and the others are made", async () => {
  const { storage, tenant, holder } = await shared();
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

test("a storage that is closed while others hold the lock refuses what is waiting, a sweep too", async () => {
  const { storage, tenant, holder } = await shared();
  holder.exec("BEGIN IMMEDIATE");
  const swept = assert.rejects(storage.sweep(base), StorageUnavailable);
  const waiting = assert.rejects(addTask(storage, tenant, 1), StorageUnavailable);
  await storage.close();
  await Promise.all([swept, waiting]);
  holder.close();
});

test("a file can be opened while others hold its lock", async () => {
  const { file, storage, tenant, holder } = await shared();
  holder.exec("BEGIN IMMEDIATE");
  const other = sqliteStorage({ file });
  assert.equal((await other.get(tenant, "tenant", tenant))?.id, tenant);
  holder.close();
  await other.close();
  await storage.close();
});

/** A program of its own that makes `count` commits, one after the other, and prints the instant of each once it is made. */
function writerProgram(file: string, first: number, count: number): readonly string[] {
  const at = (path: string): string => JSON.stringify(pathToFileURL(path).href);
  const code = `
    import { writeSync } from "node:fs";
    import { sqliteStorage } from ${at("lib/sqlite/index.ts")};
    import { base, idOf, insert, newTask, put } from ${at("lib/storage-contract/records.ts")};
    const storage = sqliteStorage({ file: ${JSON.stringify(file)} });
    for (let index = ${first}; index < ${first + count}; index++) {
      const at = await put(storage, idOf(1, 0), base, (at) => [insert("task", newTask(idOf(1, index), at))]);
      writeSync(1, at + "\\n");
    }
    await storage.close();`;
  return [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
}

test("several processes may write one file at once, and their instants are one increasing row", async () => {
  const { file, storage, tenant, holder } = await shared();
  let running = 2;
  const others = [10_000, 20_000].map(async (first) => {
    const [program = "", ...args] = writerProgram(file, first, 100);
    const output = await text(spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] }).stdout);
    running--;
    return output.trimEnd().split("\n").map(Number);
  });
  const mine: number[] = [];
  for (; running > 0; await turn(1)) mine.push(await addTask(storage, tenant, mine.length + 1));
  const rows = [mine, ...(await Promise.all(others))];
  for (const row of rows) assert.deepEqual(row, [...row].sort());
  const expected = rows.flat().map((_, index) => base + 1 + index);
  assert.deepEqual(rows.flat().sort(), expected);
  assert.deepEqual(
    (await storage.list(tenant, "task", {})).map(({ updatedAt }) => updatedAt),
    expected,
  );
  holder.close();
  await storage.close();
});

test("the file is in WAL mode, and the connection that writes is set to synchronous FULL", async (context) => {
  const { prepare } = Database.prototype;
  const used = new Set<Database.Database>();
  context.mock.method(Database.prototype, "prepare", function (this: Database.Database, sql: string) {
    used.add(this);
    return prepare.call(this, sql);
  });
  const { storage, tenant, holder } = await shared();
  await addTask(storage, tenant, 1);
  const writers = [...used].filter(({ open, readonly }) => open && !readonly);
  const settings = ["synchronous", "foreign_keys"].map((name) =>
    writers.map((each) => each.pragma(name, { simple: true })),
  );
  assert.deepEqual(settings, [[2], [1]]);
  assert.equal(holder.pragma("journal_mode", { simple: true }), "wal");
  holder.close();
  await storage.close();
});

const traced = spawnSync("strace", ["-o", join(root, "probe"), "true"]).status === 0;

test("each commit is on the disk before it is answered", { skip: !traced && "needs strace" }, async () => {
  const { file, storage, holder } = await shared();
  const trace = join(root, "trace");
  const options = ["-f", "-y", "-e", "trace=fsync,fdatasync,write", "-o", trace];
  const { status, stderr } = spawnSync("strace", [...options, ...writerProgram(file, 1, 20)], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const lines = fs.readFileSync(trace, "utf8").split("\n");
  const steps = lines.map((line) => {
    if (/ f(?:data)?sync\(/.test(line) && line.includes(`${file}-wal>`)) return "s";
    return / write\(1<.*, "\d{13}\\n", 14\)/.test(line) ? "a" : "";
  });
  // Between two answers the log was synced, once or more often; and once more at the end.
  assert.equal(steps.join("").replace(/s+/g, "s").replace(/s$/, ""), "sa".repeat(20));
  holder.close();
  await storage.close();
});
