import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import type { Kind } from "../../lib/model/kinds.ts";
import { createTenant } from "../../lib/storage/contract/records.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { numberPlaceholders, postgresDialect } from "../../lib/storage/postgres/statement.ts";
import type { SortField } from "../../lib/storage/sort.ts";
import { buildCount, buildListSelect } from "../../lib/storage/sql/sorted-select.ts";
import { tables } from "../../lib/storage/sql/table.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

const fillSql: Readonly<Record<string, string>> = {
  contact: `INSERT INTO contacts
      (tenant_id, id, name, email, email_key, external_id, custom_fields, created_at, updated_at, json)
    SELECT $1, lpad(i::text, 36, '0'), 'Person ' || i * 7919 % 20011, i || '@x.test', i || '@x.test', i / 2, '{}', i, i, '{}'
    FROM generate_series(1, $2::int) i`,
  task: `INSERT INTO tasks (tenant_id, id, title, priority, status, closed_at, due_date, created_at, updated_at, json)
    SELECT $1, lpad(i::text, 36, '0'), 'Task', 'low', CASE WHEN i % 3 = 0 THEN 'pending' ELSE 'completed' END,
      CASE WHEN i % 3 = 0 THEN NULL ELSE i END, nullif(i % 100, 0), i, i, '{}'
    FROM generate_series(1, $2::int) i`,
};

const cases: readonly (readonly [Kind, SortField | undefined, key: string | number, index: string])[] = [
  ["contact", undefined, 9_000, "contacts_by_update"],
  ["contact", "updatedAt", 9_000, "contacts_by_update"],
  ["contact", "createdAt", 9_000, "contacts_by_creation"],
  ["task", "createdAt", 9_000, "tasks_by_creation"],
];

const countCases = [
  [{}, "tasks_by_update"],
  [{ status: "pending" }, "tasks_by_status"],
  [{ status: "pending", assignedTo: "u" }, "tasks_by_\\w+"],
] as const;

const keyCases = [
  ["emails", "contacts_email_taken"],
  ["externalIds", "contacts_by_external_id"],
] as const;

test("a list without filters scans the index of its order from its position, and one of keys the index of the keys", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const connectionString = await freshAddress();
  const storage = await postgresStorage(new pg.Pool({ connectionString, max: 1 }));
  const client = new pg.Client({ connectionString });
  await client.connect();
  t.after(() => Promise.all([client.end(), storage.close()]));
  for (const number of [1, 2, 3]) {
    const tenant = await createTenant(storage, number);
    for (const sql of Object.values(fillSql)) await client.query(sql, [tenant, number === 1 ? 20_000 : 50]);
  }
  // A new table has no statistics.
  const byWords = { words: ["person"], sort: { by: "name", descending: false }, limit: 51 } as const;
  const words = buildListSelect(postgresDialect, tables.contact, "", byWords, "json");
  const unanalyzed = await client.query(`EXPLAIN ${numberPlaceholders(words.sql)}`, [...words.values]);
  assert.doesNotMatch(unanalyzed.rows.map((row) => row["QUERY PLAN"]).join("\n"), /Semi Join/);
  await client.query("ANALYZE");
  const [tenant] = (await storage.listTenants()).map(({ id }) => id);
  for (const [kind, by, key, index] of cases) {
    for (const descending of [false, true]) {
      for (const includeArchived of [false, true]) {
        const after = { key, id: "5" };
        const start =
          by === undefined ? { after: { updatedAt: Number(key), id: "5" } } : { sort: { by, descending, after } };
        const query = { ...start, includeArchived, limit: 51 };
        const { sql, values } = buildListSelect(postgresDialect, tables[kind], tenant ?? "", query, "json");
        const { rows } = await client.query(`EXPLAIN ${numberPlaceholders(sql)}`, [...values]);
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        const scans = plan.match(new RegExp(`Index Scan (?:Backward )?using ${index} on`, "g")) ?? [];
        const starts = plan.match(/Index Cond: .*ROW\(/g) ?? [];
        const expected = includeArchived ? 2 : 1;
        assert.deepEqual([scans.length, starts.length], [expected, expected], plan);
        assert.doesNotMatch(plan, /Seq Scan|Bitmap/);
      }
    }
  }
  for (const [filter, index] of keyCases) {
    const keys = Array.from({ length: 100 }, (_, number) => (filter === "emails" ? `${number}@x.test` : `${number}`));
    const query = { where: { [filter]: keys }, updatedSince: 5, limit: 51 };
    const select = buildListSelect(postgresDialect, tables.contact, tenant ?? "", query, "json");
    const count = buildCount(postgresDialect, tables.contact, tenant ?? "", query, 10_000);
    for (const { sql, values } of [select, select.count ?? select, count]) {
      const { rows } = await client.query(`EXPLAIN ${numberPlaceholders(sql)}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const scans = plan.match(/(?<=(?:using|Index Scan on) )contacts_(?!pkey)\w+/g) ?? [];
      assert.deepEqual(scans, [index], plan);
      assert.match(plan, /Index Cond: .*= ANY/);
      assert.doesNotMatch(plan, /Seq Scan/);
    }
  }
  for (const [where, index] of countCases) {
    for (const includeArchived of [false, true]) {
      const query = { where, includeArchived };
      const { sql, values } = buildCount(postgresDialect, tables.task, tenant ?? "", query, 10_000);
      const { rows } = await client.query(`EXPLAIN ${numberPlaceholders(sql)}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const scans = plan.match(new RegExp(`Index (?:Only )?Scan using ${index} on`, "g")) ?? [];
      assert.equal(scans.length, includeArchived ? 2 : 1, plan);
      assert.doesNotMatch(plan, /Seq Scan|Bitmap|-> +(?:Incremental )?Sort/);
      assert.match(plan, /Limit/);
    }
  }
});
