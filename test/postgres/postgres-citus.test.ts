import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { distributionSql } from "../../lib/storage/postgres/index.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { start } from "../support/program.ts";

/** Imitates Citus on a plain PostgreSQL. Like Citus, it rejects a table with a foreign key to or from a local table. */
const citusStub = `
  CREATE TABLE citus_stub (name TEXT PRIMARY KEY, kind TEXT NOT NULL);
  CREATE VIEW pg_dist_partition AS SELECT name::regclass AS logicalrelid FROM citus_stub;
  CREATE FUNCTION create_reference_table(t regclass) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO citus_stub VALUES (t::text, 'reference') $$;
  CREATE FUNCTION create_distributed_table(t regclass, col text, colocate_with text DEFAULT 'default') RETURNS void
    LANGUAGE plpgsql AS $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = t AND attname = col) THEN
        RAISE 'column % of % does not exist', col, t;
      END IF;
      IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND t IN (conrelid, confrelid)
        AND (CASE t WHEN conrelid THEN confrelid ELSE conrelid END)::regclass::text NOT IN (SELECT name FROM citus_stub))
      THEN RAISE '% has a foreign key with a local table', t; END IF;
      INSERT INTO citus_stub VALUES (t::text, 'distributed'); END $$`;

const shapeSql = `
  SELECT conrelid::regclass || ' ' || conname || ' ' || convalidated || ' ' || pg_get_constraintdef(oid) AS line
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`;

const tablesSql = `
  SELECT c.relname AS name, CASE WHEN obj_description(c.oid, 'pg_class') LIKE 'reference: %' THEN 'reference' ELSE 'distributed' END AS kind
    FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'citus_stub' ORDER BY 1`;

test("postgres distribute distributes every table once and restores all foreign keys", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const address = await freshAddress();
  const distribute = async () => {
    const { code, stdout, stderr } = await start(t, "postgres", "distribute", "--database", address).ended;
    return [code, stdout, stderr.replace(/.*: /, "")];
  };
  const missing = "The Citus extension is missing. Install it and run CREATE EXTENSION citus.\n";
  assert.deepEqual(await distribute(), [1, "", missing]);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  t.after(() => client.end());
  const rows = async (sql: string) => (await client.query(sql)).rows;
  await client.query(citusStub);
  assert.deepEqual(await distribute(), [1, "", "The database has no tables yet. Run init or serve first.\n"]);

  const storage = await storageAt(address);
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  await commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
  const before = await rows(shapeSql);
  assert.deepEqual(await distribute(), [0, "Distributed all tables by tenant.\n", ""]);
  assert.deepEqual(await rows("SELECT name, kind FROM citus_stub ORDER BY 1"), await rows(tablesSql));
  assert.deepEqual(await rows(shapeSql), before);
  assert.equal((await storage.get(tenant, "task", idOf(1, 1)))?.id, idOf(1, 1));
  assert.deepEqual(await distribute(), [0, "All tables are distributed already.\n", ""]);

  await client.query("DELETE FROM citus_stub WHERE name = 'tasks'");
  const interrupted = async () => {
    const { code, stderr } = await start(t, "postgres", "distribute", "--database", address).ended;
    return [code, stderr.replace(/.*interrupted: /, "")];
  };
  const remedy = "Restore the backup and run the command again.\n";
  assert.deepEqual(await interrupted(), [1, `23 of 24 tables are distributed. ${remedy}`]);
  await client.query(distributionSql.slice(0, 2).join(";"));
  assert.deepEqual(await interrupted(), [
    1,
    `23 of 24 tables are distributed, and foreign keys are missing. ${remedy}`,
  ]);
  await client.query("DELETE FROM citus_stub");
  assert.deepEqual(await interrupted(), [1, `0 of 24 tables are distributed, and foreign keys are missing. ${remedy}`]);
});

test("postgres distribute --dry-run prints the SQL, and without a database it is a usage error", async (t) => {
  const { code, stdout } = await start(t, "postgres", "distribute", "--dry-run").ended;
  assert.deepEqual([code, stdout.match(/create_distributed_table\('tasks'/g)?.length], [0, 1]);
  assert.equal((await start(t, "postgres", "distribute").ended).code, 2);
});
