import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import pg from "pg";
import { deriveJsonReads } from "../../lib/storage/storage.ts";
import { assertNewKeys, assertUpdatable, type KeyRow, lookAlikeRows, selectKeys } from "../support/look-alike-rows.ts";
import { assertFound, phoneRows } from "../support/phone-rows.ts";
import { freshAddress, storageAt } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";
import { assertSplit, type RuleRow } from "../support/split-rules.ts";

async function withPool<T>(address: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: address, max: 2 });
  pool.on("error", () => {});
  return work(pool).finally(() => pool.end());
}

/** Returns the address of a database of schema version 3, after running `sql` in it. */
async function filledVersion3(sql: string): Promise<string> {
  const address = await freshAddress();
  await withPool(address, async (pool) => {
    await pool.query(readFileSync(join(import.meta.dirname, "../schemas/postgres/3.sql"), "utf8"));
    await pool.query(
      "INSERT INTO settings VALUES ('cursor_secret', '12345678901234567890123456789012'), ('schema_version', '3')",
    );
    await pool.query(sql);
  });
  return address;
}

describe("A migration of a PostgreSQL database", { skip: postgresAbsent }, () => {
  test("splits a rule with stages and statuses into two rules", async () => {
    const address = await filledVersion3(`
        INSERT INTO tenants (tenant_id, id, name, created_at, updated_at) VALUES ('t', 't', 'Tenant', 1, 1);
        INSERT INTO rules (tenant_id, id, entity, field, "when", created_at, updated_at) VALUES
          ('t', 'both', 'opportunity', 'amount', '{"stageIds":["s"],"statuses":["won"]}', 1, 2),
          ('t', 'stage', 'opportunity', 'amount', '{"stageIds":["s"]}', 1, 2),
          ('t', 'always', 'opportunity', 'amount', NULL, 1, 2)`);
    await (await storageAt(address)).close();
    await withPool(address, async (pool) => {
      const { rows } = await pool.query<RuleRow>(`SELECT id, "when", created_at, updated_at FROM rules`);
      assertSplit(rows);
    });
  });

  test("normalizes unique values again, except one that another record has", async () => {
    const address = await filledVersion3(lookAlikeRows);
    const storage = await storageAt(address);
    await withPool(address, async (pool) => assertNewKeys((await pool.query<KeyRow>(selectKeys)).rows));
    await assertUpdatable(storage);
    await storage.close();
  });

  test("indexes the words and phone numbers of existing records", async () => {
    const storage = await storageAt(await filledVersion3(phoneRows));
    await assertFound(storage);
    await storage.close();
  });

  test("writes the JSON of existing records", async () => {
    const storage = await storageAt(await filledVersion3(lookAlikeRows));
    const [tenant] = await storage.listTenants();
    for (const kind of ["account", "contact"] as const) {
      const jsons = await storage.listJson(tenant?.id ?? "", kind, {});
      assert.ok(jsons.length > 0);
      assert.deepEqual(jsons, await deriveJsonReads(storage).listJson(tenant?.id ?? "", kind, {}));
    }
    await storage.close();
  });
});
