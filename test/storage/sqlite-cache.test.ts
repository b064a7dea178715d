import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const file = join(temporaryFolder(), "crm.db");
const [tasks, bytesOfTask] = [6_000, 700];

/** Returns the number of reads of this process from files and sockets. */
function readCalls(): number {
  return Number(/syscr: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

test("a second list of a 10 MB database reads the file again with cacheMb 1, but not with cacheMb 64", async (t) => {
  if (process.platform !== "linux") return t.skip("needs /proc/self/io");
  const writer = sqliteStorage({ file, commitWorker: false });
  const tenant = await createTenant(writer, 1);
  for (let first = 0; first < tasks; first += 500) {
    await commitNow(writer, tenant, startTime, (at) =>
      Array.from({ length: 500 }, (_, index) =>
        insertWrite("task", newTask(idOf(1, 1_000 + first + index), at, { description: "x".repeat(bytesOfTask) })),
      ),
    );
  }
  await writer.close();
  const secondReads = async (cacheMb: number): Promise<number> => {
    const storage = sqliteStorage({ file, cacheMb });
    await storage.list(tenant, "task", {});
    const before = readCalls();
    assert.equal((await storage.list(tenant, "task", {})).length, tasks);
    const calls = readCalls() - before;
    await storage.close();
    return calls;
  };
  const [small, large] = [await secondReads(1), await secondReads(64)];
  assert.ok(small > 500, `${small} reads with 1 MiB`);
  assert.ok(large < 100, `${large} reads with 64 MiB`);
});

test("a writing connection to a 10 MB database reads the file again, because a server has two", (t) => {
  if (process.platform !== "linux") return t.skip("needs /proc/self/io");
  const database = openWriter(file);
  const scan = database.prepare("SELECT sum(length(description)) FROM tasks");
  scan.get();
  const before = readCalls();
  scan.get();
  const calls = readCalls() - before;
  database.close();
  assert.ok(calls > 500, `${calls} reads`);
});
