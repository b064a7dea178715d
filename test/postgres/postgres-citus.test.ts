import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { freshAddress, storageAt } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";

/**
 * Stands in for Citus on a plain PostgreSQL. As Citus, it can't distribute a table that a foreign key connects with a
 * local table.
 */
const citusStub = `
  CREATE TABLE citus_stub (name TEXT PRIMARY KEY, kind TEXT NOT NULL);
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

test("the Citus SQL in docs/operate/postgresql-and-redis.md distributes every table and restores all foreign keys", {
  skip: postgresAbsent,
}, async (t) => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/operate/postgresql-and-redis.md"), "utf8");
  const [block, ...others] = [...guide.matchAll(/^```sql\n(.+?)^```$/gms)].map(([, sql = ""]) => sql);
  assert.ok(block !== undefined && others.length === 0);
  const address = await freshAddress();
  const storage = await storageAt(address);
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  await commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  t.after(() => client.end());
  const rows = async (sql: string) => (await client.query(sql)).rows;

  await client.query(citusStub);
  const before = await rows(shapeSql);
  await client.query(block);
  assert.deepEqual(await rows("SELECT name, kind FROM citus_stub ORDER BY 1"), await rows(tablesSql));
  assert.deepEqual(await rows(shapeSql), before);
  assert.equal((await storage.get(tenant, "task", idOf(1, 1)))?.id, idOf(1, 1));
});
