import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { observedStorage } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { usesOf } from "../support/postgres-statements.ts";

/** Small tables, complete on every node. */
const references = ["settings", "tenants"];
/** All other tables but the one that leads to the tenant are distributed by tenant. */
const withoutTenant = ["api_key_owners", ...references];

/** The SQL texts that the storages of this file have sent. */
const sent = new Set<string>();

const addresses = new WeakMap<Storage, string>();

async function watched(address: string): Promise<Storage> {
  const storage = await observedStorage(address, (text) => sent.add(text));
  addresses.set(storage, address);
  return storage;
}

describe("The PostgreSQL schema supports sharding", { skip: noPostgres }, () => {
  let database: pg.Pool;
  before(async () => {
    const address = await freshAddress();
    await (await watched(address)).close();
    database = new pg.Pool({ connectionString: address, max: 1, allowExitOnIdle: true });
  });
  after(() => database.end());

  const rows = async (sql: string) => (await database.query(sql)).rows;
  const ours = "SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";

  test("only the reference tables aren't tenant tables, and their comments name them as such", async () => {
    const found = await rows(`SELECT c.relname AS name FROM pg_class c JOIN pg_description d ON d.objoid = c.oid
      WHERE c.oid IN (${ours}) AND d.objsubid = 0 AND d.description LIKE 'reference: %' ORDER BY 1`);
    assert.deepEqual(
      found.map(({ name }) => name),
      references,
    );
  });

  test("every other table has tenant_id as the first column of every index and key", async () => {
    const found = await rows(`SELECT c.relname AS name, i.indexrelid::regclass::text AS index, a.attname AS first
      FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE c.oid IN (${ours})`);
    // The terms of the first index start with the tenant. The others find the expired rows of all tenants.
    const byAge = ["idempotency_records_by_age", "request_log_by_time", "request_counts_by_time"];
    const exceptions = ["search_entries_by_term", ...byAge];
    const others = found.filter(({ index }) => !exceptions.includes(index));
    assert.equal(others.length, found.length - exceptions.length);
    const distributed = others.filter(({ name }) => !withoutTenant.includes(name));
    assert.deepEqual(
      distributed.filter(({ first }) => first !== "tenant_id"),
      [],
    );
    const tables =
      await rows(`SELECT relname AS name, EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary) AS keyed,
      EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id' AND attnotnull) AS owned
      FROM pg_class c WHERE oid IN (${ours})`);
    assert.ok(tables.length > references.length);
    assert.deepEqual(
      tables.filter(({ name, keyed, owned }) => !keyed || (!owned && name !== "settings")),
      [],
    );
  });

  test("every foreign key starts with tenant_id on both sides", async () => {
    const found = await rows(`SELECT k.conrelid::regclass::text AS "from", k.confrelid::regclass::text AS "to",
        a.attname AS here, b.attname AS there FROM pg_constraint k
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
      WHERE k.contype = 'f' AND k.conrelid IN (${ours})`);
    assert.ok(found.length > 20, `${found.length} foreign keys`);
    const wrong = found.filter(({ here, there }) => here !== "tenant_id" || there !== "tenant_id");
    // A reference table may be referred to, and refers to no other.
    assert.deepEqual([...wrong, ...found.filter(({ from }) => references.includes(from))], []);
  });

  test("IDs, normalized values and other key columns use the collation C", async () => {
    const found = await rows(`SELECT DISTINCT c.relname || '.' || a.attname AS "column", l.collname AS collation
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
      JOIN pg_collation l ON l.oid = a.attcollation
      WHERE c.oid IN (${ours}) AND (a.attname ~ '(^|_)(id|key|hash|to)$')`);
    assert.ok(found.length > 30, `${found.length} columns`);
    assert.deepEqual(
      found.filter(({ collation }) => collation !== "C"),
      [],
    );
  });

  test("times and counts are BIGINT columns", async () => {
    const found = await rows(`SELECT c.relname || '.' || a.attname AS "column", a.atttypid::regtype::text AS type
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.oid IN (${ours}) AND a.attname ~ '(_at|_date)$' AND a.attname <> 'expected_close_date'`);
    assert.ok(found.length > 30, `${found.length} columns`);
    assert.deepEqual(
      found.filter(({ type }) => type !== "bigint"),
      [],
    );
  });
});

if (!noPostgres) {
  const subject = {
    open: async () => watched(await freshAddress()),
    async reopen(storage: Storage) {
      await storage.close();
      return watched(addresses.get(storage) ?? "");
    },
  };
  describeStorage("PostgreSQL", subject, { describe, it: test });
}

test("every statement of the contract tests but four filters each tenant table by tenant", {
  skip: noPostgres,
}, async () => {
  const storage = await watched(await freshAddress());
  await storage.close();
  const tables = [...[...sent].join("\n").matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name);
  const statements = [...sent].filter((text) => !text.includes("CREATE TABLE"));
  const uses = statements.flatMap((text) => usesOf(text, tables).map((use) => ({ ...use, text })));
  const [exceptions, distributed] = [
    uses.filter(({ table }) => withoutTenant.includes(table)),
    uses.filter(({ table }) => !withoutTenant.includes(table)),
  ];
  // One statement reads the clocks of the tenants with webhooks, and one deletes the expired records of all tenants. Two
  // aren't for a distributed database: they read the settings versions and the idempotency records of several tenants.
  assert.deepEqual(
    distributed.filter(({ unbound }) => unbound).map(({ table, does }) => `${does} ${table}`),
    [
      "reads idempotency_records",
      "reads tenant_clocks",
      "reads webhooks",
      "changes idempotency_records",
      "reads idempotency_records",
      "reads tenant_clocks",
    ],
  );
  // Each table is read, filled and changed by some statement, so the test sees all of them.
  for (const does of ["reads", "inserts", "changes"] as const) {
    const touched = new Set(uses.filter((use) => use.does === does).map(({ table }) => table));
    const untouched = tables.filter((table) => !touched.has(table));
    const expected = { reads: [], inserts: [], changes: ["settings", "api_key_owners"] }[does];
    assert.deepEqual(untouched, expected, does);
  }
  const free = new Set(exceptions.filter(({ unbound }) => unbound).map(({ table }) => table));
  assert.deepEqual([...free].sort(), withoutTenant);
});
