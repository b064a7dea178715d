import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { latestVersion, migrations } from "../../lib/storage/sqlite/schema.ts";
import { type Ended, newerProgramCommand, startCommand, tenantFolder } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { makeNewer } from "../support/sqlite-copies.ts";
import { testTenant } from "../support/tenants.ts";

const { path, file } = tenantFolder(testTenant(1));
let folders = 0;
/** The current schema version, and that of the newer program. */
const [now, next] = [latestVersion(migrations), latestVersion(migrations) + 2];

/** Creates a data folder of the current version with a tenant. Returns its path. */
async function older(): Promise<string> {
  const data = path(`data-${++folders}`);
  assert.equal((await crmIntegrations("load", file, "--data", data)).code, 0);
  return data;
}

/** Starts a newer version of the program. */
function newer(t: TestContext, ...args: string[]) {
  return startCommand(t, [...newerProgramCommand, ...args]);
}

function versionIn(database: string): number {
  const opened = new Database(database, { readonly: true });
  const version = opened.pragma("user_version", { simple: true });
  opened.close();
  return Number(version);
}

function accountsIn(database: string): unknown[] {
  const opened = new Database(database, { readonly: true });
  const names = opened.prepare("SELECT name FROM accounts ORDER BY id").pluck().all();
  opened.close();
  assert.ok(names.length > 0);
  return names;
}

function copiesIn(data: string): string[] {
  return fs.readdirSync(data).filter((name) => name.includes("before-schema"));
}

async function done(ended: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

suite("a database of an older version", { concurrency: 2 }, () => {
  test("migrate --dry-run prints the migrations and changes nothing", async (t) => {
    const data = await older();
    const database = join(data, "crm.db");
    const output = await done(newer(t, "migrate", "--data", data, "--dry-run").ended);
    assert.equal(
      output,
      `${database} has schema ${now}. migrate or serve will back it up and migrate it to ${next}.\n`,
    );
    assert.deepEqual([versionIn(database), copiesIn(data)], [now, []]);
  });

  test("migrate updates the schema once and writes a copy that the older program can serve", async (t) => {
    const data = await older();
    const database = join(data, "crm.db");
    const output = JSON.parse(await done(newer(t, "migrate", "--data", data, "--json").ended));
    const [copy = ""] = copiesIn(data);
    assert.deepEqual(output, { database, from: now, to: next, backup: join(data, copy) });
    assert.equal(versionIn(database), next);
    const again = await done(newer(t, "migrate", "--data", data).ended);
    assert.equal(again, `${database} has the current schema (${next}).\n`);
    assert.deepEqual(copiesIn(data), [copy]);
    const back = path(`back-${folders}`);
    assert.equal((await crmIntegrations("restore", join(data, copy), "--data", back)).code, 0);
    assert.deepEqual(accountsIn(join(back, "crm.db")), accountsIn(join(data, copy)));
  });

  test("serve migrates the database at its start and prints the path of the copy", async (t) => {
    const data = await older();
    const served = newer(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--json", "--log-level", "error");
    await served.waitForOutput(/\n/);
    served.child.kill("SIGTERM");
    const { code, stderr } = await served.ended;
    const [copy = ""] = copiesIn(data);
    const database = join(data, "crm.db");
    const says = `Migrated ${database} from schema ${now} to ${next}. The backup is ${join(data, copy)}.`;
    assert.deepEqual([code, stderr], [0, `crm-integrations: ${says}\n`]);
    assert.deepEqual([versionIn(database), versionIn(join(data, copy))], [next, now]);
  });

  test("migrate rejects a database without a unique index and changes nothing", async (t) => {
    const data = await older();
    const database = join(data, "crm.db");
    const opened = new Database(database);
    opened.exec("DROP INDEX accounts_name_taken");
    opened.close();
    const { code, stderr } = await newer(t, "migrate", "--data", data).ended;
    const message = `${database} is damaged: index accounts_name_taken is missing. Restore a backup.`;
    assert.deepEqual([code, stderr], [1, `crm-integrations: ${message}\n`]);
    assert.deepEqual([versionIn(database), copiesIn(data)], [now, []]);
  });

  test("check and dump report an older schema and change nothing; restore migrates it", async (t) => {
    const data = await older();
    const database = join(data, "crm.db");
    const checked = JSON.parse((await newer(t, "check", "--data", data, "--json").ended).stdout);
    const message = `${database} has schema ${now}; this version needs ${next}. Run migrate.`;
    assert.deepEqual(checked.findings[1], { name: "schema", state: "warning", message });
    const dumped = await newer(t, "dump", "--data", data).ended;
    const needs = `${database} has schema ${now}; this program needs ${next}. Run \`migrate\`.`;
    assert.deepEqual([dumped.code, dumped.stderr], [1, `crm-integrations: ${needs}\n`]);
    assert.deepEqual([versionIn(database), copiesIn(data)], [now, []]);
    const restored = newer(t, "restore", database, "--data", path("restored"), "--json").ended;
    assert.deepEqual(JSON.parse(await done(restored)).schema, { from: now, to: next });
    assert.deepEqual([versionIn(join(path("restored"), "crm.db")), copiesIn(path("restored"))], [next, []]);
  });
});

test("every command rejects a database of a newer version, names both versions and changes nothing", async () => {
  const data = await older();
  const database = join(data, "crm.db");
  makeNewer(database);
  const before = fs.readFileSync(database);
  const says = `${database} was made by a newer version (schema 99; this program knows ${now}). Use the newer program.`;
  const commands = [
    ["serve", "--listen", "127.0.0.1:0"],
    ["migrate"],
    ["dump"],
    ["backup", path("x.db")],
    ["load", "demo"],
  ];
  for (const args of commands) {
    const ended = await crmIntegrations(...args, "--data", data);
    assert.deepEqual(ended, { code: 1, stdout: "", stderr: `crm-integrations: ${says}\n` });
  }
  const restored = await crmIntegrations("restore", database, "--data", path("none"));
  const rejected = `crm-integrations: Nothing was changed. The backup was rejected: ${says}\n`;
  assert.deepEqual([restored.code, restored.stderr], [1, rejected]);
  assert.deepEqual([fs.readFileSync(database), fs.existsSync(path("none/crm.db"))], [before, false]);
});
