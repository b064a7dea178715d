import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import Database from "better-sqlite3";
import type { Kind } from "../../lib/model/kinds.ts";
import type { ColumnType } from "../../lib/model/model.ts";
import { getAndCheckJson, listAndCheckJson } from "../../lib/storage/contract/checked-reads.ts";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { hasJsonColumn, rowToJson, tables } from "../../lib/storage/sql/table.ts";
import { checkDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import { applicationId } from "../../lib/storage/sqlite/preflight.ts";
import { latestVersion, type Migration, migrations } from "../../lib/storage/sqlite/schema.ts";

const root = mkdtempSync(join(tmpdir(), "crm-kept-json-"));
after(() => rmSync(root, { recursive: true }));
const now = latestVersion(migrations);

test("a migration with changesJson rebuilds the JSON of every record", async () => {
  const file = join(root, "many.db");
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  // More than one batch.
  const numbers = Array.from({ length: 1_001 }, (_, index) => index + 1);
  await commitNow(storage, tenant, startTime, (at) =>
    numbers.map((index) => insertWrite("task", newTask(idOf(1, index), at))),
  );
  const listed = await storage.listJson(tenant, "task", {});
  assert.equal(listed.length, numbers.length);
  await storage.close();
  const step: Migration = { version: now + 1, sql: "UPDATE tasks SET title = upper(title)" };
  const jsonAfter = (steps: readonly Migration[]): unknown[] => {
    const database = openWriter(file, [...migrations, ...steps]);
    const texts = database.prepare("SELECT json FROM tasks ORDER BY updated_at, id").pluck().all();
    database.close();
    return texts;
  };
  assert.deepEqual(jsonAfter([step]), listed);
  const renamed = (json: string) => json.replace(/"title":"([^"]*)"/, (_, title) => `"title":"${title.toUpperCase()}"`);
  assert.deepEqual(jsonAfter([step, { version: now + 2, sql: "", changesJson: true }]), listed.map(renamed));
});

/** The last migration that rebuilds the JSON. Files of this version or later already have it. */
const madeAnew = migrations.findLast(({ changesJson }) => changesJson)?.version ?? 1;

for (const version of migrations.map((step) => step.version - 1).filter((each) => each < madeAnew)) {
  test(`records of schema ${version} are listed unchanged after the migration`, async () => {
    const file = join(root, `schema-${version}.db`);
    const old = new Database(file);
    old.exec(readFileSync(join(import.meta.dirname, "../schemas", `${version}.sql`), "utf8"));
    old.pragma(`application_id = ${applicationId}`);
    old.pragma(`user_version = ${version}`);
    old.prepare("INSERT INTO settings (name, value) VALUES ('cursor_secret', ?)").run(Buffer.alloc(32));
    old.exec(`INSERT INTO tenants (tenant_id, id, name, created_at, updated_at) VALUES ('t', 't', 'Old', 1, 1);
      INSERT INTO tenant_clocks VALUES ('t', 3);
      INSERT INTO tasks (tenant_id, id, title, priority, status, created_at, updated_at)
        VALUES ('t', 'a', 'First', 'low', 'pending', 2, 2), ('t', 'b', 'Second', 'high', 'pending', 3, 3);`);
    old.close();
    const storage = sqliteStorage({ file });
    const records = await listAndCheckJson(storage, "t", "task", {});
    assert.deepEqual(
      records.map(({ title }) => title),
      ["First", "Second"],
    );
    for (const { id } of records)
      assert.deepEqual(await getAndCheckJson(storage, "t", "task", id), records[id === "a" ? 0 : 1]);
    await storage.close();
  });
}

test("a full check reports records whose JSON doesn't match their columns", async () => {
  const file = join(root, "stale.db");
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  await commitNow(storage, tenant, startTime, (at) =>
    [1, 2, 3].map((index) => insertWrite("task", newTask(idOf(1, index), at))),
  );
  await storage.close();
  assert.deepEqual(checkDatabase({ file, full: true }).errors, []);
  const database = openWriter(file);
  database.prepare("UPDATE tasks SET title = 'By hand' WHERE id <> ?").run(idOf(1, 1));
  database.close();
  assert.deepEqual(checkDatabase({ file, full: true }).errors, ["the JSON of 2 tasks doesn't match their columns"]);
  assert.deepEqual(checkDatabase({ file }).errors, []);
});

/** A value of each type, as a column stores it. */
const sample: Readonly<Record<ColumnType, unknown>> = {
  ...{ text: "text", json: '{"a":1}', links: '["id"]' },
  ...{ real: 1.5, integer: 1, boolean: 1, timestamp: 1_768_212_000_000 },
};

test("the stored JSON has the format that this schema version was released with", () => {
  const path = join(import.meta.dirname, "../schemas", `${now}.json`);
  const kept = Object.fromEntries(
    Object.entries(tables)
      .filter(([, table]) => hasJsonColumn(table))
      .map(([kind, table]) => {
        const row = [...table.columns.map(({ type }) => sample[type]), ...table.links.map(() => sample.links)];
        return [kind as Kind, rowToJson(table, row)];
      }),
  );
  assert.deepEqual(
    kept,
    JSON.parse(readFileSync(path, "utf8")),
    `Records are shown otherwise now, and databases keep them as they were: add a migration with changesJson, and ${now + 1}.json.`,
  );
});
