import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { StorageUnavailable } from "../../lib/index.ts";
import { createTenant, idOf, insertWrite, newTask } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a relative path refers to the same file after the process changes its folder", async (t) => {
  const [folder, before] = [temporaryFolder(t), process.cwd()];
  t.after(() => process.chdir(before));
  process.chdir(folder);
  const storage = sqliteStorage({ file: "crm.db" });
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  process.chdir(tmpdir());
  await storage.commit(tenant, 0, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
  assert.equal((await storage.get(tenant, "task", idOf(1, 1)))?.id, idOf(1, 1));
});

test("a storage opened through a symbolic link rejects writes while the WAL of the real file is missing", async (t) => {
  const folder = temporaryFolder(t);
  const [file, link] = [join(folder, "real", "crm.db"), join(folder, "crm.db")];
  fs.mkdirSync(join(folder, "real"));
  await sqliteStorage({ file }).close();
  fs.symlinkSync(file, link);
  const [first, second] = [sqliteStorage({ file: link }), sqliteStorage({ file: link })];
  t.after(() => Promise.all([first.close(), second.close()]));
  const tenant = await createTenant(first, 1);
  const write = (number: number) =>
    second.commit(tenant, 0, (at) => [insertWrite("task", newTask(idOf(1, number), at))]);
  await write(1);
  fs.renameSync(`${file}-wal`, `${file}-moved`);
  await assert.rejects(write(2), (error) => {
    assert.ok(error instanceof StorageUnavailable);
    assert.match(error.message, /crm\.db-wal was removed while it was open/);
    return true;
  });
  fs.renameSync(`${file}-moved`, `${file}-wal`);
  await write(3);
});
