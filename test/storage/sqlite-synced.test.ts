import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { startTime } from "../../lib/storage/contract/records.ts";
import { addTask, root, shared, testBoth } from "../support/sqlite-shared.ts";

/** Returns the command of a process that makes `count` commits in sequence and prints the time of each. */
function writerProgram(file: string, first: number, count: number, commitWorker: boolean): readonly string[] {
  const at = (path: string): string => JSON.stringify(pathToFileURL(path).href);
  const code = `
    import { writeSync } from "node:fs";
    import { sqliteStorage } from ${at("lib/storage/sqlite/index.ts")};
    import { commitNow, idOf, insertWrite, newTask, startTime } from ${at("lib/storage/contract/records.ts")};
    const storage = sqliteStorage({ file: ${JSON.stringify(file)}, commitWorker: ${commitWorker} });
    for (let index = ${first}; index < ${first + count}; index++) {
      const at = await commitNow(storage, idOf(1, 0), startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
      writeSync(1, at + "\\n");
    }
    await storage.close();`;
  return [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
}

testBoth(
  "several processes can write one file at the same time, and commit times increase across all",
  async (commitThread) => {
    const { file, storage, tenant, holder } = await shared(commitThread);
    let running = 2;
    const others = [10_000, 20_000].map(async (first) => {
      const [program = "", ...args] = writerProgram(file, first, 100, commitThread);
      const output = await text(spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] }).stdout);
      running--;
      return output.trimEnd().split("\n").map(Number);
    });
    const own: number[] = [];
    for (; running > 0; await turn(1)) own.push(await addTask(storage, tenant, own.length + 1));
    const rows = [own, ...(await Promise.all(others))];
    for (const row of rows) assert.deepEqual(row, [...row].sort());
    const expected = rows.flat().map((_, index) => startTime + 1 + index);
    assert.deepEqual(rows.flat().sort(), expected);
    assert.deepEqual(
      (await storage.list(tenant, "task", {})).map(({ updatedAt }) => updatedAt),
      expected,
    );
    holder.close();
    await storage.close();
  },
);

test("the file is in WAL mode, and the writing connection has synchronous FULL", async (context) => {
  const { prepare } = Database.prototype;
  const used = new Set<Database.Database>();
  context.mock.method(Database.prototype, "prepare", function (this: Database.Database, sql: string) {
    used.add(this);
    return prepare.call(this, sql);
  });
  const { storage, tenant, holder } = await shared();
  await addTask(storage, tenant, 1);
  const writers = [...used].filter(({ open, readonly }) => open && !readonly);
  const settings = ["synchronous", "fullfsync", "foreign_keys"].map((name) =>
    writers.map((each) => each.pragma(name, { simple: true })),
  );
  assert.deepEqual(settings, [[2], [1], [1]]);
  assert.equal(holder.pragma("journal_mode", { simple: true }), "wal");
  holder.close();
  await storage.close();
});

const hasStrace = spawnSync("strace", ["-o", join(root, "probe"), "true"]).status === 0;

testBoth("each commit is synced before it resolves", async (commitThread, context) => {
  if (!hasStrace) return context.skip("needs strace");
  const { file, storage, holder } = await shared();
  const trace = join(root, "trace");
  const options = ["-f", "-y", "-e", "trace=fsync,fdatasync,write", "-o", trace];
  const { status, stderr } = spawnSync("strace", [...options, ...writerProgram(file, 1, 20, commitThread)], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const steps = fs.readFileSync(trace, "utf8").split("\n").map(stepsOf(file));
  // At least one sync between two outputs, and one more at the end.
  assert.equal(steps.join("").replace(/s+/g, "s").replace(/s$/, ""), "sa".repeat(20));
  holder.close();
  await storage.close();
});

/** Returns `s` for the end of a sync of the WAL, `a` for an output, and an empty string for other lines. */
function stepsOf(file: string): (line: string) => string {
  const syncing = new Set<string>();
  return (line) => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (/^f(?:data)?sync\(/.test(call) && call.includes(`${file}-wal>`)) syncing.add(thread);
    if (syncing.has(thread) && / = 0$/.test(call)) {
      syncing.delete(thread);
      return "s";
    }
    return /^write\(1<.*, "\d{13}\\n", 14/.test(call) ? "a" : "";
  };
}
