import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTenant } from "../../lib/storage/contract/records.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { buildSearch } from "../../lib/storage/postgres/search.ts";
import { numberPlaceholders, postgresDialect } from "../../lib/storage/postgres/statement.ts";
import { buildSelect } from "../../lib/storage/sql/select.ts";
import { tables } from "../../lib/storage/sql/table.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

const fillSql = `
  INSERT INTO contacts (tenant_id, id, name, phone_digits, custom_fields, created_at, updated_at, json)
    SELECT $1, lpad(i::text, 36, '0'), 'Person ' || i, '47' || 10000000 + i * 7, '{}', i, i, '{}'
    FROM generate_series(1, $2::int) i`;
const fillTermsSql = `
  INSERT INTO search_entries (tenant_id, kind, id, terms, updated_at)
    SELECT tenant_id, 'contact', id, array_to_tsvector(ARRAY[p || 'person', p || created_at, p || phone_digits]), updated_at
    FROM contacts, concat(replace(tenant_id, '-', ''), 'c') p`;

/** Returns the indexes that a statement uses. */
async function indexesOf(client: pg.Client, sql: string, values: readonly unknown[]): Promise<readonly string[]> {
  const { rows } = await client.query(`EXPLAIN ${numberPlaceholders(sql)}`, [...values]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  assert.doesNotMatch(plan, /Seq Scan/);
  return [...plan.matchAll(/Index Scan (?:using|on) (\w+)/g)].map(([, index = ""]) => index);
}

test("a search and a list by phone read only their index, in any plan", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const connectionString = await freshAddress();
  const pool = new pg.Pool({ connectionString, max: 1 });
  const storage = await postgresStorage(pool);
  const client = new pg.Client({ connectionString });
  await client.connect();
  t.after(() => Promise.all([client.end(), storage.close()]));
  const tenants = [];
  for (let number = 1; number <= 50; number++) tenants.push(await createTenant(storage, number));
  const [large = ""] = tenants;
  for (const tenant of tenants) await client.query(fillSql, [tenant, tenant === large ? 20_000 : 50]);
  await client.query(fillTermsSql);
  await client.query("ANALYZE");

  for (const words of [["12345"], ["person", "1234"], ["47100"]]) {
    const { sql, values } = buildSearch(large, { words, kinds: ["account", "contact", "opportunity"], limit: 20 });
    assert.deepEqual(await indexesOf(client, sql, values), ["search_entries_by_term"], words.join(" "));
  }
  // With a prepared statement, PostgreSQL would soon use a plan that reads all entries of the tenant.
  assert.equal((await storage.search(large, { words: ["12345"], kinds: ["contact"], limit: 20 })).length, 1);
  const prepared = await pool.query("SELECT name FROM pg_prepared_statements WHERE statement LIKE '%terms @@%'");
  assert.deepEqual(prepared.rows, []);

  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    await client.query(`SET plan_cache_mode = ${mode}`);
    for (const query of [{}, { updatedSince: 5 }, { includeArchived: true }]) {
      const where = { phone: "+47 10 00 07 00" };
      const { sql, values } = buildSelect(
        postgresDialect,
        tables.contact,
        large,
        { where, limit: 51, ...query },
        "json",
      );
      const indexes = await indexesOf(client, sql, values);
      assert.deepEqual([...new Set(indexes)], ["contacts_by_phone"], `${mode} ${JSON.stringify(query)}`);
    }
  }
});
