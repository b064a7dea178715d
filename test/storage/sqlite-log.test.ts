import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();

/** Returns a copy of a database as a crash leaves it. Its WAL has three commits, one of them of 100 KiB. */
async function crashed(name: string) {
  const [original, file] = [join(root, name, "original.db"), join(root, name, "crm.db")];
  const storage = sqliteStorage({ file: original });
  const tenant = await createTenant(storage, 1);
  for (const [index, description] of ["short", "long".repeat(25_600), null].entries())
    await storage.commit(tenant, startTime, (at) => [
      insertWrite("task", newTask(idOf(1, index), at, { description })),
    ]);
  for (const suffix of ["", "-wal"]) fs.copyFileSync(original + suffix, file + suffix);
  const tasks = await storage.list(tenant, "task", {});
  await storage.close();
  return { file, tenant, tasks, wal: fs.readFileSync(`${file}-wal`) };
}

test("opening a crashed database restores the commits in its WAL and leaves the WAL unchanged", async () => {
  const { file, tenant, tasks, wal } = await crashed("same");
  const storage = sqliteStorage({ file });
  assert.deepEqual(await storage.list(tenant, "task", {}), tasks);
  assert.ok(fs.readFileSync(`${file}-wal`).equals(wal));
  await storage.close();
});

const traced = spawnSync("strace", ["-o", join(root, "probe"), "true"]).status === 0;

test("opening a crashed database rewrites and syncs its WAL before it returns", {
  skip: !traced && "needs strace",
}, async () => {
  const { file, wal } = await crashed("traced");
  const trace = join(root, "trace");
  const code = `
    import { writeSync } from "node:fs";
    import { sqliteStorage } from ${JSON.stringify(pathToFileURL("lib/storage/sqlite/index.ts").href)};
    sqliteStorage({ file: ${JSON.stringify(file)} });
    writeSync(1, "open\\n");
    process.kill(process.pid, "SIGKILL");`;
  const program = [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
  spawnSync("strace", ["-f", "-y", "-s", "8", "-e", "trace=pwrite64,fsync,fdatasync,write", "-o", trace, ...program]);
  const lines = fs.readFileSync(trace, "utf8").split("\n");
  const opened = lines.findIndex((line) => line.includes('"open\\n"'));
  const own = lines.slice(0, opened).filter((line) => line.includes("crm.db-wal>"));
  let written = 0;
  for (const line of own.slice(0, -1)) {
    const [, length, offset] = /pwrite64\(.*, (\d+), (\d+)\) = \1$/.exec(line) ?? assert.fail(line);
    assert.equal(Number(offset), written);
    written += Number(length);
  }
  assert.equal(written, wal.length);
  assert.match(own.at(-1) ?? "", / f(?:data)?sync\(.* = 0$/);
});
