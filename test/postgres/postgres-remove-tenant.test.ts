import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { postgresStorage, removeTenant } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

test("a tenant that is removed and created again isn't found by its old search terms", {
  skip: noPostgres,
}, async (t) => {
  const pool = new pg.Pool({ connectionString: await freshAddress(), max: 2 });
  const storage = await postgresStorage(pool);
  t.after(() => storage.close());
  const others = await createTenant(storage, 2);
  const insert = (tenant: string, id: string, name: string) =>
    commitNow(storage, tenant, startTime, (at) => [insertWrite("account", { ...newAccount(id, at), name })]);
  const search = async (tenant: string, word: string) =>
    (await storage.search(tenant, { words: [word], kinds: ["account"], limit: 50 })).length;
  const tenant = await createTenant(storage, 1);
  await insert(tenant, idOf(1, 1), "Acme");
  await insert(others, idOf(2, 1), "Acme");
  await removeTenant(pool, tenant, async () => {});
  await createTenant(storage, 1);
  await insert(tenant, idOf(1, 2), "Other");
  assert.deepEqual(
    [await search(tenant, "acme"), await search(tenant, "other"), await search(others, "acme")],
    [0, 1, 1],
  );
});
