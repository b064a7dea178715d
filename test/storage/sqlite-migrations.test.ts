import assert from "node:assert/strict";
import { copyFileSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { DatabaseError, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import type { MigrationResult } from "../../lib/storage/sqlite/options.ts";
import { applicationId } from "../../lib/storage/sqlite/preflight.ts";
import { latestVersion, type Migration, migrations } from "../../lib/storage/sqlite/schema.ts";
import { fill, smallDisk } from "../prove/place-disk.ts";

const root = mkdtempSync(join(tmpdir(), "crm-migrations-"));
after(() => rmSync(root, { recursive: true }));
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

/** Returns the statements of the schema, without comments, quotes and insignificant white space. */
function shapeOf(database: Database.Database): string[] {
  const rows = database.prepare<[], { sql: string }>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  const plain = (sql: string): string =>
    sql
      .replace(/--.*$/gm, "")
      .replace(/"(\w+)"/g, "$1")
      .replace(/\s+/g, " ")
      .replace(/ ?([(),]) ?/g, "$1");
  return rows.map(({ sql }) => plain(sql)).sort();
}

const schemas = globSync(join(import.meta.dirname, "../schemas", "*.sql"));

test("test/schemas has the schema of every released version", () => {
  const versions = schemas.map((path) => Number(basename(path, ".sql"))).sort((a, b) => a - b);
  assert.deepEqual(versions, [1, ...migrations.map(({ version }) => version)]);
});

for (const path of schemas) {
  test(`the migrations lead from schema ${basename(path, ".sql")} to schema.sql`, () => {
    const file = join(root, `schema-${basename(path, ".sql")}.db`);
    const old = new Database(file);
    old.exec(readFileSync(path, "utf8"));
    old.pragma(`application_id = ${applicationId}`);
    old.pragma(`user_version = ${basename(path, ".sql")}`);
    old.prepare("INSERT INTO settings (name, value) VALUES ('cursor_secret', ?)").run(Buffer.alloc(32));
    old.close();
    const [migrated, fresh] = [openWriter(file), openWriter(":memory:")];
    assert.deepEqual(shapeOf(migrated), shapeOf(fresh));
    for (const database of [migrated, fresh]) {
      assert.equal(database.pragma("user_version", { simple: true }), latestVersion(migrations));
      database.close();
    }
  });
}

test("migrations are numbered without gaps and contain no transaction statements or pragmas", () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 2),
  );
  // A trigger has a BEGIN and an END as well.
  const withoutTriggers = (sql: string): string => sql.replace(/CREATE TRIGGER .*? BEGIN.*?END;/gs, "");
  assert.deepEqual(
    migrations.filter(({ sql }) => /\b(?:BEGIN|COMMIT|END|ROLLBACK|PRAGMA|VACUUM)\b/i.test(withoutTriggers(sql))),
    [],
  );
});

const now = latestVersion(migrations);
/** The migrations and two made-up ones. The second rebuilds a table that others refer to. */
const steps: readonly Migration[] = [
  ...migrations,
  { version: now + 1, sql: "ALTER TABLE tasks ADD COLUMN rank INTEGER NOT NULL DEFAULT 7;" },
  {
    version: now + 2,
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

function copiesBeside(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => /before|new/.test(name));
}

test("opening an older file applies each missing migration once", async () => {
  const file = await filled();
  const was = stateIn(file) as { columns: number };
  const first = openWriter(file, steps.slice(0, -1));
  assert.deepEqual(stateOf(first), { ...was, version: now + 1, columns: was.columns + 1 });
  first.close();
  for (let times = 0; times < 2; times++) {
    const database = openWriter(file, steps);
    assert.deepEqual(stateOf(database), { ...was, version: now + 2, name: "TENANT 1", columns: was.columns + 1 });
    assert.deepEqual(database.prepare("SELECT rank FROM tasks").pluck().all(), [7, 7]);
    assert.throws(() => database.exec("DELETE FROM tenants"), { code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    database.close();
  }
  assert.throws(() => openWriter(file, steps.slice(0, -1)), / was made by a newer version /);
});

test("opening an older file writes a complete, private backup before the first migration", async () => {
  const file = await filled();
  const was = stateIn(file);
  const told: MigrationResult[] = [];
  openWriter(file, steps, (migrated) => told.push(migrated)).close();
  const [name, ...others] = readdirSync(dirname(file)).filter((each) => each !== "crm.db");
  assert.match(String(name), new RegExp(`^crm\\.db\\.before-schema-${now + 2}-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z$`));
  const backup = join(dirname(file), String(name));
  assert.deepEqual([others, told], [[], [{ file, from: now, to: now + 2, backup }]]);
  assert.deepEqual([stateIn(backup), statSync(backup).mode & 0o777], [was, 0o600]);
  openWriter(file, steps, (migrated) => told.push(migrated)).close();
  assert.equal(told.length, 1);
});

test("an older file that can't be backed up isn't migrated", { timeout: 60_000 }, async (t) => {
  const disk = smallDisk(t, 800);
  if (disk === undefined) return;
  const file = join(disk, "crm.db");
  copyFileSync(await filled(), file);
  const was = stateIn(file);
  fill(disk, 100);
  assert.throws(
    () => openWriter(file, steps),
    (error) => {
      assert.ok(error instanceof DatabaseError, `${error}`);
      assert.match(error.message, /crm\.db can't be copied to .+before-schema-\d+-.+: .*full/);
      return true;
    },
  );
  assert.deepEqual([stateIn(file), copiesBeside(file)], [was, []]);
});

const faulty: Readonly<Record<string, string>> = {
  "that fails halfway": "UPDATE tenants SET name = 'x'; SELECT nothing FROM nowhere;",
  "that breaks a reference": "UPDATE tenants SET name = 'x'; DELETE FROM tenants;",
};

for (const [name, sql] of Object.entries(faulty)) {
  test(`a migration ${name} leaves the file at its previous version, without earlier migrations either`, async () => {
    const file = await filled();
    const was = stateIn(file);
    assert.throws(() => openWriter(file, [...steps, { version: now + 3, sql }]));
    assert.deepEqual(stateIn(file), was);
    assert.deepEqual(copiesBeside(file), []);
    const storage = sqliteStorage({ file });
    assert.equal((await storage.list(idOf(1, 0), "task", {})).length, 2);
    await storage.close();
  });
}

test("a new file has the schema of schema.sql and all later migrations", () => {
  const file = join(root, `${++files}`, "crm.db");
  const database = openWriter(file, steps);
  assert.equal(database.pragma("user_version", { simple: true }), now + 2);
  database.close();
});
