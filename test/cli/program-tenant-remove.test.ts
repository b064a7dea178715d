import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import Database from "better-sqlite3";
import pg from "pg";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { programCommand, serving, startCommand } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
const [leaving, staying] = [testTenant(1), testTenant(2)];
for (const [name, tenant] of Object.entries({ leaving, staying })) {
  const file = tenantFile(tenant) as { tenant: Record<string, unknown> };
  writeFileSync(path(`${name}.json`), JSON.stringify({ ...file, tenant: { ...file.tenant, name } }));
}
const files = [path("leaving.json"), path("staying.json")];

/** The rows of each table that has a tenant, per tenant. */
type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;
type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

async function rowsOf(query: Query, tablesSql: string): Promise<Rows> {
  const rows: Record<string, Record<string, number>> = {};
  for (const { name } of await query(tablesSql)) {
    const counts = await query(`SELECT tenant_id, count(*) AS count FROM ${name} GROUP BY tenant_id`);
    for (const { tenant_id: tenant, count } of counts) {
      rows[String(tenant)] = { ...rows[String(tenant)], [String(name)]: Number(count) };
    }
  }
  return rows;
}

async function inSqlite(data: string): Promise<Rows> {
  const database = new Database(join(data, "crm.db"), { readonly: true });
  const tables = `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'tenant_id'`;
  try {
    return await rowsOf(async (sql) => database.prepare<[], Record<string, unknown>>(sql).all(), tables);
  } finally {
    database.close();
  }
}

async function inPostgres(address: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  // The server stores its request log up to a second later.
  const tables = `SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'tenant_id' AND table_name NOT LIKE 'request\\_%'`;
  try {
    return await rowsOf(async (sql) => (await client.query(sql)).rows, tables);
  } finally {
    await client.end();
  }
}

type Target = { readonly args: readonly string[]; readonly rows: () => Promise<Rows> };
const targets: readonly (readonly [name: string, skip: string | false, open: () => Promise<Target>])[] = [
  ["SQLite", false, async () => ({ args: ["--data", path("served")], rows: () => inSqlite(path("served")) })],
  [
    "PostgreSQL",
    noPostgres,
    async () => {
      const address = await freshAddress();
      return { args: ["--database", address], rows: () => inPostgres(address) };
    },
  ],
];

for (const [name, skip, open] of targets) {
  suite(`tenant remove on ${name}`, { skip, timeout: 120_000 }, () => {
    test("removes the whole tenant from a running server, doesn't change other tenants, and load restores it", async (t) => {
      const { args, rows } = await open();
      const { greeting } = await serving(t, ...args, "--fixtures", ...files);
      const call = (key: string, body?: unknown) => {
        const headers = { "x-api-key": key, "content-type": "application/json" };
        const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        return fetch(`${greeting.baseUrl}/tasks`, { headers, ...sent });
      };
      for (const { key } of [leaving, staying]) assert.equal((await call(key, { title: "Call Ana" })).status, 201);
      const before = await rows();
      const dumped = (await crmIntegrations("dump", "--tenant", leaving.id, ...args)).stdout;

      const backup = path(`${name}.json`);
      const removed = await crmIntegrations("tenant", "remove", "leaving", "--yes", "--out", backup, "--json", ...args);
      assert.deepEqual([removed.code, removed.stderr], [0, ""]);
      assert.deepEqual(JSON.parse(removed.stdout), { tenantId: leaving.id, name: "leaving", backup });
      assert.equal(statSync(backup).mode & 0o777, 0o600);
      assert.equal(readFileSync(backup, "utf8"), dumped);
      assert.deepEqual(
        [(await call(leaving.key)).status, (await call(leaving.key, { title: "Late" })).status],
        [401, 401],
      );
      assert.equal((await call(staying.key, { title: "Call Bea" })).status, 201);
      const after = await rows();
      const { [staying.id]: own = {}, ...others } = before;
      assert.deepEqual(Object.keys(others), [leaving.id]);
      // Only PostgreSQL has the search index in a table with a tenant.
      const { tasks = 0, search_entries: entries } = own;
      const found = entries === undefined ? {} : { search_entries: entries + 1 };
      assert.deepEqual(after, { [staying.id]: { ...own, ...found, tasks: tasks + 1, events: 2 } });

      const loaded = await crmIntegrations("load", backup, ...args);
      assert.equal(loaded.code, 0, loaded.stderr);
      const { events, ...records } = before[leaving.id] ?? {};
      assert.deepEqual([events, (await rows())[leaving.id]], [1, records], "a tenant file has no events");
      assert.equal((await call(leaving.key)).status, 200);
    });
  });
}

test("tenant remove finishes a removal from PostgreSQL that was interrupted", { skip: noPostgres }, async () => {
  const address = await freshAddress();
  assert.equal((await crmIntegrations("load", ...files, "--database", address)).code, 0);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query("DELETE FROM tasks WHERE tenant_id = $1", [leaving.id]);
  await client.query("UPDATE tenants SET archived_at = updated_at WHERE tenant_id = $1", [leaving.id]);
  await client.end();
  const remove = ["tenant", "remove", leaving.id, "--yes", "--database", address];
  const { code, stderr } = await crmIntegrations(...remove, "--out", path("rest.json"));
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(Object.keys(await inPostgres(address)), [staying.id]);
});

suite("tenant remove changes nothing", { concurrency: 2 }, () => {
  /** A data folder with both tenants. */
  const dataWith = async (name: string): Promise<string> => {
    const data = path(name);
    assert.equal((await crmIntegrations("load", ...files, "--data", data)).code, 0);
    return data;
  };

  test("without --yes if there is no terminal, and if no tenant has the name", async () => {
    const data = await dataWith("unconfirmed");
    const before = await inSqlite(data);
    const unconfirmed = await crmIntegrations("tenant", "remove", "leaving", "--data", data);
    assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [2, ""]);
    assert.match(
      unconfirmed.stderr,
      /^crm-integrations: tenant remove needs --yes if there is no terminal to ask on\.\n/,
    );
    const unknown = await crmIntegrations("tenant", "remove", "leavin", "--yes", "--data", data);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /No tenant has the ID or name leavin\. Available tenants: /);
    assert.deepEqual(await inSqlite(data), before);
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith("removed-")),
      [],
    );
  });

  test("if the backup can't be written", async () => {
    const data = await dataWith("no-backup");
    const before = await inSqlite(data);
    const out = path("no-folder/leaving.json");
    const failed = await crmIntegrations("tenant", "remove", "leaving", "--yes", "--out", out, "--data", data);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^crm-integrations: ENOENT: .*no-folder/);
    const taken = await crmIntegrations(
      "tenant",
      "remove",
      "leaving",
      "--yes",
      "--out",
      files[0] ?? "",
      "--data",
      data,
    );
    assert.equal(taken.code, 1);
    assert.deepEqual(await inSqlite(data), before);
  });

  const skip = spawnSync("script", ["-qec", "true", "/dev/null"]).status !== 0 && "no script(1) for a terminal here";
  for (const [reply, code, says] of [
    ["staying\r", 1, "That isn't the tenant's name. Nothing was removed."],
    ["\x03", 1, "Canceled. Nothing was removed."],
    ["leaving\r", 0, "Removed the tenant leaving"],
  ] as const) {
    test(`unless the name is typed on a terminal: ${JSON.stringify(reply)}`, { skip }, async (t) => {
      const data = await dataWith(`typed-${reply.charCodeAt(0)}`);
      const words = [...programCommand, "tenant", "remove", leaving.id];
      const command = ["script", "-qec", [...words, "--data", data].join(" "), "/dev/null"];
      const { child, waitForOutput, ended } = startCommand(t, command);
      await waitForOutput(/Type the tenant's name to confirm: /);
      child.stdin.write(reply);
      const result = await ended;
      assert.ok(result.stdout.includes(says), result.stdout);
      assert.equal(result.code, code);
      assert.equal(leaving.id in (await inSqlite(data)), code !== 0);
    });
  }
});
