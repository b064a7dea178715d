import assert from "node:assert/strict";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { backupDatabase, DatabaseError, sqliteSnapshot } from "../../lib/storage/sqlite/index.ts";
import { StorageUnavailable } from "../../lib/storage/storage.ts";
import { smallDisk } from "../prove/failures/small-disk.ts";
import {
  addTask,
  assertSame,
  contentOf,
  filled,
  filledFile,
  makeNewer,
  modeOf,
  newFolder,
  tasksIn,
  tenant,
} from "../support/sqlite-copies.ts";

test("a backup of a database in use has every commit and is a private file", async () => {
  const { file, storage } = await filled(3);
  const folder = newFolder();
  const target = join(folder, "copy.db");
  const umask = process.umask(0);
  backupDatabase({ file, target });
  process.umask(umask);
  await addTask(storage, 4);
  assert.deepEqual([fs.readdirSync(folder), modeOf(target)], [["copy.db"], "600"]);
  assert.deepEqual(await tasksIn(target), [1, 2, 3]);
  await storage.close();
  assert.deepEqual(await tasksIn(file), [1, 2, 3, 4]);
});

test("a backup of an unused database changes nothing in its folder", async () => {
  const file = await filledFile(2);
  const before = contentOf(dirname(file));
  backupDatabase({ file, target: join(newFolder(), "copy.db") });
  assertSame(before, dirname(file));
});

test("a backup of a crashed database includes the commits in its WAL and changes neither file", async () => {
  const { file, storage } = await filled(2);
  const crashed = join(newFolder(), "crm.db");
  for (const suffix of ["", "-wal"]) fs.copyFileSync(file + suffix, crashed + suffix);
  await storage.close();
  const target = join(newFolder(), "copy.db");
  const before = contentOf(dirname(crashed));
  backupDatabase({ file: crashed, target });
  const after = contentOf(dirname(crashed));
  for (const [name, bytes] of before) assert.ok(after.get(name)?.equals(bytes), `${name} was changed`);
  assert.deepEqual(await tasksIn(target), [1, 2]);
});

const rejected: readonly (readonly [
  what: string,
  make: () => Promise<{ file: string; target: string }>,
  message: RegExp,
])[] = [
  [
    "over an existing file",
    async () => {
      const target = join(newFolder(), "copy.db");
      fs.writeFileSync(target, "mine");
      return { file: await filledFile(1), target };
    },
    /copy\.db already exists\. Choose another file\.$/,
  ],
  [
    "into a missing folder",
    async () => ({ file: await filledFile(1), target: join(newFolder(), "none", "copy.db") }),
    /crm\.db can't be copied to .+copy\.db: ENOENT/,
  ],
  [
    "of a missing file",
    async () => ({ file: join(newFolder(), "crm.db"), target: join(newFolder(), "copy.db") }),
    /^No database at .+crm\.db\.$/,
  ],
  [
    "of a newer database",
    async () => {
      const file = await filledFile(1);
      makeNewer(file);
      return { file, target: join(newFolder(), "copy.db") };
    },
    /made by a newer version \(schema 99; this program knows \d+\)/,
  ],
];

for (const [what, make, message] of rejected) {
  test(`a backup ${what} throws DatabaseError and writes nothing`, async () => {
    const { file, target } = await make();
    const folder = fs.existsSync(dirname(target)) ? dirname(target) : dirname(dirname(target));
    const [before, source] = [contentOf(folder), contentOf(dirname(file))];
    assert.throws(
      () => backupDatabase({ file, target }),
      (error) => {
        assert.ok(error instanceof DatabaseError, `${error}`);
        assert.match(error.message, message);
        return true;
      },
    );
    assertSame(before, folder);
    assertSame(source, dirname(file));
  });
}

test("a backup onto a full disk throws DatabaseError and leaves no file", { timeout: 60_000 }, async (t) => {
  const folder = smallDisk(t, 200);
  if (folder === undefined) return;
  const file = await filledFile(1);
  assert.throws(
    () => backupDatabase({ file, target: join(folder, "copy.db") }),
    (error) => {
      assert.ok(error instanceof DatabaseError, `${error}`);
      assert.match(error.message, /can't be copied to .+: .+full.*\. Check the free space and permissions of /);
      return true;
    },
  );
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("a snapshot excludes later commits and rejects writes", async () => {
  const { file, storage } = await filled(2);
  const snapshot = sqliteSnapshot({ file });
  await addTask(storage, 3);
  const ids = async (of: typeof storage) => (await of.list(tenant, "task", {})).map(({ id }) => Number(id.slice(-12)));
  assert.deepEqual(
    [await ids(snapshot), await ids(storage)],
    [
      [1, 2],
      [1, 2, 3],
    ],
  );
  await assert.rejects(addTask(snapshot, 4), StorageUnavailable);
  await assert.rejects(snapshot.pruneIdempotencyRecords(0), StorageUnavailable);
  await storage.close();
  assert.deepEqual(await ids(snapshot), [1, 2]);
  await snapshot.close();
  assert.deepEqual(await tasksIn(file), [1, 2, 3]);
});

test("closing a snapshot of an unused database leaves no files behind", async () => {
  const file = await filledFile(2);
  const before = contentOf(dirname(file));
  await sqliteSnapshot({ file }).close();
  assertSame(before, dirname(file));
});
