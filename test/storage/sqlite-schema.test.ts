import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { checkDatabase, DatabaseError, restoreDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { assertSame, contentOf, filledFile, newFolder, tasksIn } from "../support/sqlite-copies.ts";

function run(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

/** Changes a statement in the schema, as a program with `writable_schema` can. */
function edit(file: string, name: string, from: string, to: string): void {
  const database = new Database(file);
  database.unsafeMode();
  database.pragma("writable_schema = ON");
  database.prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?").run(from, to, name);
  database.close();
}

const trigger = "CREATE TRIGGER t AFTER UPDATE ON tasks BEGIN DELETE FROM rules; END";

const damages: Readonly<Record<string, readonly [damage: (file: string) => void, fault: string]>> = {
  "without a unique index": [
    (file) => run(file, "DROP INDEX accounts_name_taken"),
    "index accounts_name_taken is missing",
  ],
  "with a unique index that isn't unique": [
    (file) => edit(file, "contacts_email_taken", "UNIQUE ", ""),
    "index contacts_email_taken was changed",
  ],
  "without a check": [
    (file) => edit(file, "tasks", "CHECK (priority IN ('low', 'medium', 'high'))", "CHECK (true)"),
    "table tasks was changed",
  ],
  "with a trigger": [(file) => run(file, trigger), "trigger t was added to table tasks"],
  "without a table": [(file) => run(file, "DROP TABLE rules"), "table rules is missing"],
};

for (const [what, [damage, fault]] of Object.entries(damages)) {
  test(`a database file ${what} is rejected by serve, check and restore, and isn't changed`, async () => {
    const [file, target] = [await filledFile(1), await filledFile(2)];
    damage(file);
    const before = [file, target].map((each) => contentOf(dirname(each)));
    const faults = checkDatabase({ file }).errors;
    assert.ok(faults.includes(fault), faults.join("; "));
    assert.throws(
      () => sqliteStorage({ file }),
      (error: Error) =>
        error instanceof DatabaseError &&
        error.message.startsWith(`${file} is damaged: `) &&
        error.message.includes(fault) &&
        error.message.endsWith(". Restore a backup."),
    );
    assert.throws(
      () => restoreDatabase({ file: target, backup: file }),
      (error: Error) =>
        error.message.startsWith(`Nothing was changed. ${file} is damaged: `) &&
        error.message.includes(fault) &&
        error.message.endsWith(". Use another backup."),
    );
    for (const [index, each] of [file, target].entries()) assertSame(before[index] ?? new Map(), dirname(each));
  });
}

test("a full check reports records whose JSON doesn't match their columns", async () => {
  const file = await filledFile(3);
  assert.deepEqual(checkDatabase({ file, full: true }).errors, []);
  run(file, "UPDATE tasks SET title = 'Changed' WHERE rowid > 1");
  assert.deepEqual(checkDatabase({ file, full: true }).errors, ["the JSON of 2 tasks doesn't match their columns"]);
  assert.deepEqual(checkDatabase({ file }).errors, []);
});

test("a missing cursor secret is rejected at the start and by check, and restore creates a new one", async () => {
  const file = await filledFile(2);
  run(file, "DELETE FROM settings");
  assert.deepEqual(checkDatabase({ file }).errors, ["the cursor secret is missing"]);
  const message = `${file} is damaged: the cursor secret is missing. Restore a backup.`;
  assert.throws(() => sqliteStorage({ file }), new DatabaseError(message));
  const target = join(newFolder(), "crm.db");
  restoreDatabase({ file: target, backup: file });
  assert.deepEqual([checkDatabase({ file: target }).errors, (await tasksIn(target)).length], [[], 2]);
});

test("tables of other programs and statistics are allowed", async () => {
  const file = await filledFile(1);
  run(file, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); ANALYZE");
  assert.deepEqual(checkDatabase({ file }).errors, []);
  await sqliteStorage({ file }).close();
});
