import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { migrate } from "../../lib/storage/postgres/migrate.ts";
import { latestVersion, type Migration, migrations } from "../../lib/storage/postgres/migrations.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

const current = latestVersion(migrations);

/** Invented migrations. The first fails if it runs twice. */
const steps: readonly Migration[] = [
  ...migrations,
  { version: current + 1, statements: ["ALTER TABLE tasks ADD COLUMN rank BIGINT NOT NULL DEFAULT 7"] },
  {
    version: current + 2,
    statements: ["UPDATE tenants SET name = upper(name)", "ALTER TABLE tasks ALTER COLUMN rank SET DEFAULT 8"],
  },
];

async function withPool<T>(address: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: address, max: 2 });
  pool.on("error", () => {});
  return work(pool).finally(() => pool.end());
}

/** Creates a database of the current schema version with a tenant and two tasks. Returns its URL. */
async function filled(): Promise<string> {
  const address = await freshAddress();
  const storage = await storageAt(address);
  const tenant = await createTenant(storage, 1);
  for (const index of [1, 2])
    await commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
  await storage.close();
  return address;
}

/** Reads the columns, indexes, constraints and comments of the schema in the syntax of PostgreSQL. */
const shapeSql = `
  SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, collation_name, is_nullable || generation_expression) AS what
    FROM information_schema.columns WHERE table_schema = current_schema()
  UNION ALL SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
  UNION ALL SELECT objoid::regclass || ' ' || description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
    WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1`;

async function stateOf(address: string): Promise<unknown> {
  return withPool(address, async (pool) => {
    const { rows: shape } = await pool.query(shapeSql);
    const { rows } = await pool.query(
      "SELECT encode(value, 'escape') AS version FROM settings WHERE name = 'schema_version'",
    );
    const { rows: tenants } = await pool.query("SELECT name FROM tenants");
    return { shape, version: rows, tenants };
  });
}

describe("The PostgreSQL schema", { skip: noPostgres }, () => {
  test("is created once if eight servers start at the same time", async () => {
    const address = await freshAddress();
    const storages = await Promise.all(Array.from({ length: 8 }, () => storageAt(address)));
    const secrets = await Promise.all(
      storages.map(async (each) => Buffer.from(await each.cursorSecret()).toString("hex")),
    );
    assert.equal(new Set(secrets).size, 1);
    for (const each of storages) await each.close();
  });

  test("is migrated once if eight servers start at the same time", async () => {
    const address = await filled();
    await Promise.all(Array.from({ length: 8 }, () => withPool(address, (pool) => migrate(pool, steps))));
    await withPool(address, async (pool) => {
      const { rows } = await pool.query("SELECT t.rank, c.name FROM tasks t JOIN tenants c USING (tenant_id)");
      assert.deepEqual(rows, [
        { rank: "7", name: "TENANT 1" },
        { rank: "7", name: "TENANT 1" },
      ]);
    });
    const { version } = (await stateOf(address)) as { version: unknown };
    assert.deepEqual(version, [{ version: String(current + 2) }]);
  });

  test("stays at its version if a migration fails", async () => {
    const address = await filled();
    const before = await stateOf(address);
    const faulty = {
      version: current + 3,
      statements: ["UPDATE tenants SET name = 'x'", "SELECT nothing FROM nowhere"],
    };
    await assert.rejects(
      withPool(address, (pool) => migrate(pool, [...steps, faulty])),
      /"nowhere" does not exist/,
    );
    assert.deepEqual(await stateOf(address), before);
  });

  test("is created from schema.sql and can be migrated from there", async () => {
    const address = await freshAddress();
    await withPool(address, (pool) => migrate(pool, steps));
    const { version } = (await stateOf(address)) as { version: unknown };
    assert.deepEqual(version, [{ version: String(current + 2) }]);
  });

  test("migrate() rejects a newer schema and changes nothing", async () => {
    const address = await filled();
    await withPool(address, (pool) => migrate(pool, steps));
    const before = await stateOf(address);
    await assert.rejects(storageAt(address), {
      name: "DatabaseError",
      message: `The database has schema version ${current + 2}; this version of the program supports up to ${current}. Use a newer version.`,
    });
    assert.deepEqual(await stateOf(address), before);
  });

  test("migrate() rejects a settings table of another application", async () => {
    const address = await freshAddress();
    await withPool(address, (pool) => pool.query("CREATE TABLE settings (name TEXT, value BYTEA)"));
    await assert.rejects(storageAt(address), {
      name: "DatabaseError",
      message: 'The database contains a table "settings" of another application. Use another database or schema.',
    });
  });

  test("migrate() rejects a database with synchronous_commit off", async () => {
    const address = await freshAddress();
    const unsafeAddress = address.replace("search_path", "synchronous_commit%3Doff%20-c%20search_path");
    await assert.rejects(storageAt(unsafeAddress), {
      name: "DatabaseError",
      message: /^synchronous_commit is off .+\.$/,
    });
  });
});
