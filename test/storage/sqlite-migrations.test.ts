import assert from "node:assert/strict";
import { copyFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { DatabaseError, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import type { MigrationResult } from "../../lib/storage/sqlite/options.ts";
import { latestVersion, type Migration, migrations } from "../../lib/storage/sqlite/schema.ts";
import { fill, smallDisk } from "../prove/failures/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();
let files = 0;

/** Creates a database of the current version with a tenant and two tasks. */
async function filled(): Promise<string> {
  const file = join(root, `${++files}`, "crm.db");
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  for (const index of [1, 2])
    await commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
  await storage.close();
  return file;
}

const current = latestVersion(migrations);
/** Invented migrations. The second rebuilds a table that other tables refer to. */
const steps: readonly Migration[] = [
  ...migrations,
  { version: current + 1, sql: "ALTER TABLE tasks ADD COLUMN rank INTEGER NOT NULL DEFAULT 7;" },
  {
    version: current + 2,
    sql: `CREATE TABLE new_tenants (tenant_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER,
            updated_at INTEGER, archived_at INTEGER, PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id)) STRICT;
          INSERT INTO new_tenants SELECT tenant_id, id, upper(name), created_at, updated_at, archived_at FROM tenants;
          DROP TABLE tenants;
          ALTER TABLE new_tenants RENAME TO tenants;`,
  },
];

function stateOf(database: Database.Database): unknown {
  const version = database.pragma("user_version", { simple: true });
  const name = database.prepare("SELECT name FROM tenants").pluck().get();
  const columns = database.prepare("SELECT count(*) FROM pragma_table_xinfo('tasks')").pluck().get();
  return { version, name, columns, foreignKeys: database.pragma("foreign_keys", { simple: true }) };
}

/** Returns the version, tenant name and number of task columns of a file. */
function stateIn(file: string): unknown {
  const database = new Database(file, { readonly: true });
  const state = stateOf(database);
  database.close();
  return state;
}

function copiesNextTo(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => /before|new/.test(name));
}

test("opening an older file applies each missing migration once", async () => {
  const file = await filled();
  const before = stateIn(file) as { columns: number };
  const first = openWriter(file, steps.slice(0, -1));
  assert.deepEqual(stateOf(first), { ...before, version: current + 1, columns: before.columns + 1 });
  first.close();
  for (let times = 0; times < 2; times++) {
    const database = openWriter(file, steps);
    assert.deepEqual(stateOf(database), {
      ...before,
      version: current + 2,
      name: "TENANT 1",
      columns: before.columns + 1,
    });
    assert.deepEqual(database.prepare("SELECT rank FROM tasks").pluck().all(), [7, 7]);
    assert.throws(() => database.exec("DELETE FROM tenants"), { code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    database.close();
  }
  assert.throws(() => openWriter(file, steps.slice(0, -1)), / was made by a newer version /);
});

test("opening an older file writes a complete, private backup before the first migration", async () => {
  const file = await filled();
  const before = stateIn(file);
  const results: MigrationResult[] = [];
  openWriter(file, steps, (migrated) => results.push(migrated)).close();
  const [name, ...others] = readdirSync(dirname(file)).filter((each) => each !== "crm.db");
  assert.match(String(name), new RegExp(`^crm\\.db\\.before-schema-${current + 2}-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z$`));
  const backup = join(dirname(file), String(name));
  assert.deepEqual([others, results], [[], [{ file, from: current, to: current + 2, backup }]]);
  assert.deepEqual([stateIn(backup), statSync(backup).mode & 0o777], [before, 0o600]);
  openWriter(file, steps, (migrated) => results.push(migrated)).close();
  assert.equal(results.length, 1);
});

test("an older file that can't be backed up isn't migrated", { timeout: 60_000 }, async (t) => {
  const disk = smallDisk(t, 800);
  if (disk === undefined) return;
  const file = join(disk, "crm.db");
  copyFileSync(await filled(), file);
  const before = stateIn(file);
  fill(disk, 100);
  assert.throws(
    () => openWriter(file, steps),
    (error) => {
      assert.ok(error instanceof DatabaseError, `${error}`);
      assert.match(error.message, /crm\.db can't be copied to .+before-schema-\d+-.+: .*full/);
      return true;
    },
  );
  assert.deepEqual([stateIn(file), copiesNextTo(file)], [before, []]);
});

const faulty: Readonly<Record<string, string>> = {
  "that fails halfway": "UPDATE tenants SET name = 'x'; SELECT nothing FROM nowhere;",
  "that breaks a reference": "UPDATE tenants SET name = 'x'; DELETE FROM tenants;",
};

for (const [name, sql] of Object.entries(faulty)) {
  test(`a migration ${name} leaves the file at its previous version and undoes earlier migrations`, async () => {
    const file = await filled();
    const before = stateIn(file);
    assert.throws(() => openWriter(file, [...steps, { version: current + 3, sql }]));
    assert.deepEqual(stateIn(file), before);
    assert.deepEqual(copiesNextTo(file), []);
    const storage = sqliteStorage({ file });
    assert.equal((await storage.list(idOf(1, 0), "task", {})).length, 2);
    await storage.close();
  });
}

test("a new file has the schema of schema.sql and all later migrations", () => {
  const file = join(root, `${++files}`, "crm.db");
  const database = openWriter(file, steps);
  assert.equal(database.pragma("user_version", { simple: true }), current + 2);
  database.close();
});
