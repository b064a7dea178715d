import assert from "node:assert/strict";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { checkDatabase, DatabaseError, restoreDatabase } from "../../lib/storage/sqlite/index.ts";
import { latestVersion, migrations } from "../../lib/storage/sqlite/schema.ts";
import {
  addTask,
  assertSame,
  backupOf,
  contentOf,
  corruptIndex,
  filled,
  filledFile,
  makeNewer,
  newFolder,
  tasksIn,
} from "../support/sqlite-copies.ts";

const now = latestVersion(migrations);

function rejection(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof DatabaseError, `${error}`);
    return error.message;
  }
  return assert.fail("it wasn't rejected");
}

const faulty: Readonly<Record<string, readonly [damage: (backup: string) => void, says: RegExp]>> = {
  "that is missing": [(backup) => fs.rmSync(backup), /^There is no backup /],
  "that isn't a database": [(backup) => fs.writeFileSync(backup, "garbage ".repeat(2_000)), /is not a SQLite database/],
  "that was cut off": [(backup) => fs.truncateSync(backup, 20_000), /was cut off at 20000 of \d+ bytes/],
  "of another program": [
    (backup) => rewritten(backup, "PRAGMA application_id = 7"),
    /is the database of another program/,
  ],
  "of a newer version": [makeNewer, new RegExp(`made by a newer version \\(schema 99; this program knows ${now}\\)`)],
  "whose index lacks a row": [corruptIndex, /is corrupt \(.*tasks_by_status/],
  "with a reference to a missing row": [
    (backup) => rewritten(backup, "PRAGMA foreign_keys = OFF; DELETE FROM tenants"),
    /is corrupt \(a row of \w+ refers to a missing row of tenants\)/,
  ],
  "without a unique index": [
    (backup) => rewritten(backup, "DROP INDEX accounts_name_taken"),
    /^Nothing was changed\. .+ is damaged: index accounts_name_taken is missing\. Use another backup\.$/,
  ],
};

function rewritten(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

for (const [what, [damage, says]] of Object.entries(faulty)) {
  test(`restoring a backup ${what} throws and leaves the database unchanged`, async () => {
    const [file, backup] = [await filledFile(2), await backupOf(1)];
    damage(backup);
    const before = contentOf(dirname(file));
    assert.match(
      rejection(() => restoreDatabase({ file, backup })),
      says,
    );
    assertSame(before, dirname(file));
  });
}

test("a restore over a database in use throws, even if the other process only reads", async () => {
  const { file, storage } = await filled(2);
  const backup = await backupOf(1);
  const inUse = `${file} is in use. Stop the server first. Nothing was changed.`;
  assert.equal(
    rejection(() => restoreDatabase({ file, backup })),
    inUse,
  );
  await addTask(storage, 3);
  await storage.close();
  const reader = new Database(file, { readonly: true });
  reader.pragma("user_version");
  assert.equal(
    rejection(() => restoreDatabase({ file, backup })),
    inUse,
  );
  reader.close();
  assert.deepEqual(await tasksIn(file), [1, 2, 3]);
});

test("a restore of a database from itself throws, also through a symbolic link", async () => {
  const file = await filledFile(1);
  const name = join(newFolder(), "backup.db");
  fs.symlinkSync(file, name);
  assert.equal(
    rejection(() => restoreDatabase({ file, backup: name })),
    `${name} is the database itself.`,
  );
});

test("a full check finds an index that lacks a row, and a quick check doesn't", async () => {
  const file = await filledFile(2);
  assert.deepEqual(checkDatabase({ file, full: true }).errors, []);
  corruptIndex(file);
  assert.deepEqual(checkDatabase({ file }).errors, []);
  assert.match(checkDatabase({ file, full: true }).errors.join("\n"), /tasks_by_status/);
});
