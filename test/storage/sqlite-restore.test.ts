import assert from "node:assert/strict";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { backupDatabase, restoreDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { latestVersion, migrations } from "../../lib/storage/sqlite/schema.ts";
import {
  addTask,
  backupOf,
  contentOf,
  filled,
  filledFile,
  makeNewer,
  modeOf,
  newFolder,
  tasksIn,
} from "../support/sqlite-copies.ts";

const current = latestVersion(migrations);

async function secretOf(file: string): Promise<Buffer> {
  const storage = sqliteStorage({ file });
  const secret = Buffer.from(await storage.cursorSecret());
  await storage.close();
  return secret;
}

test("a restore replaces the data and the cursor secret, and renames the previous file", async () => {
  const file = await filledFile(2);
  const target = join(newFolder(), "backup.db");
  backupDatabase({ file, target });
  const secret = await secretOf(file);
  const more = sqliteStorage({ file });
  await addTask(more, 3);
  await more.close();
  const { previousFile, ...versions } = restoreDatabase({ file, backup: target });
  assert.deepEqual(versions, { from: current, to: current });
  assert.match(basename(String(previousFile)), /^crm\.db\.before-restore-\d{4}-\d\d-\d\dT[\d-]+Z$/);
  assert.deepEqual(fs.readdirSync(dirname(file)), ["crm.db", basename(String(previousFile))]);
  assert.equal(modeOf(file), "600");
  assert.deepEqual(
    [await tasksIn(file), await tasksIn(String(previousFile))],
    [
      [1, 2],
      [1, 2, 3],
    ],
  );
  assert.notDeepEqual(await secretOf(file), secret);
  assert.deepEqual([await secretOf(String(previousFile)), await secretOf(target)], [secret, secret]);
});

test("a restore creates the folder and the database if they don't exist", async () => {
  const backup = await backupOf(2);
  const file = join(newFolder(), "new", "crm.db");
  assert.deepEqual(restoreDatabase({ file, backup }), { from: current, to: current, previousFile: undefined });
  assert.deepEqual([fs.readdirSync(dirname(file)), modeOf(dirname(file)), modeOf(file)], [["crm.db"], "700", "600"]);
  assert.deepEqual(await tasksIn(file), [1, 2]);
});

test("a restore over a crashed database moves the commits in its WAL to the previous file", async () => {
  const { file, storage } = await filled(3);
  const crashed = join(newFolder(), "crm.db");
  for (const suffix of ["", "-wal"]) fs.copyFileSync(file + suffix, crashed + suffix);
  await storage.close();
  const { previousFile } = restoreDatabase({ file: crashed, backup: await backupOf(1) });
  assert.deepEqual(fs.readdirSync(dirname(crashed)), ["crm.db", basename(String(previousFile))]);
  assert.deepEqual([await tasksIn(crashed), await tasksIn(String(previousFile))], [[1], [1, 2, 3]]);
});

test("a restore moves a WAL without a database away and doesn't apply it to the new one", async () => {
  const { file, storage } = await filled(3);
  const lost = join(newFolder(), "crm.db");
  fs.copyFileSync(`${file}-wal`, `${lost}-wal`);
  await storage.close();
  restoreDatabase({ file: lost, backup: await backupOf(1) });
  const [one, two] = fs.readdirSync(dirname(lost));
  assert.deepEqual([one, /before-restore.+-wal$/.test(String(two))], ["crm.db", true]);
  assert.deepEqual(await tasksIn(lost), [1]);
});

const damages: Readonly<Record<string, (file: string) => void>> = {
  "that isn't a database": (file) => fs.writeFileSync(file, "garbage ".repeat(2_000)),
  "that is empty": (file) => fs.truncateSync(file),
  "that is truncated": (file) => fs.truncateSync(file, 20_000),
  "of a newer version": makeNewer,
};

for (const [what, damage] of Object.entries(damages)) {
  test(`a restore over a file ${what} renames it and leaves its contents unchanged`, async () => {
    const file = await filledFile(2);
    damage(file);
    const before = fs.readFileSync(file);
    const { previousFile } = restoreDatabase({ file, backup: await backupOf(1) });
    const after = fs.readFileSync(String(previousFile));
    // A file that leaves WAL mode has two other bytes in its header and a higher change counter.
    const parts = (of: Buffer) => [of.subarray(0, 18), of.subarray(20, 24), of.subarray(28, 92), of.subarray(100)];
    assert.ok(parts(after).every((part, index) => part.equals(parts(before)[index] ?? assert.fail())));
    assert.deepEqual(await tasksIn(file), [1]);
  });
}

test("a restore over a file with a damaged header renames the file and its WAL and leaves their contents unchanged", async () => {
  const { file: old, storage } = await filled(1);
  const file = join(newFolder(), "crm.db");
  for (const suffix of ["", "-wal"]) fs.copyFileSync(old + suffix, file + suffix);
  await storage.close();
  const page = 4096;
  fs.writeFileSync(file, "garbage ".repeat((10 * page) / 8));
  const before = contentOf(dirname(file));
  const { previousFile } = restoreDatabase({ file, backup: await backupOf(2) });
  for (const suffix of ["", "-wal"]) {
    assert.ok(before.get(`crm.db${suffix}`)?.equals(fs.readFileSync(previousFile + suffix)), suffix);
  }
  assert.deepEqual(fs.readdirSync(dirname(file)).length, 3);
  assert.deepEqual(await tasksIn(file), [1, 2]);
});
