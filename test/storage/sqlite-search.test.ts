import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { SearchOff } from "../../lib/index.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { removeTenant, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const query = { words: ["acme"], kinds: ["account"], limit: 50 } as const;

test("sqliteStorage({ search }) removes the search index and builds it again", async () => {
  const file = join(temporaryFolder(), "crm.db");
  const first = sqliteStorage({ file });
  const tenant = await createTenant(first, 1);
  const insert = (storage: typeof first, index: number) =>
    commitNow(storage, tenant, startTime, (at) => [
      insertWrite("account", { ...newAccount(idOf(1, index), at), name: `Acme ${index}` }),
    ]);
  await insert(first, 1);
  assert.equal((await first.search(tenant, query)).length, 1);
  await first.close();

  const off = sqliteStorage({ file, search: false });
  await insert(off, 2);
  await assert.rejects(off.search(tenant, query), SearchOff);
  await off.close();

  const unchanged = sqliteStorage({ file });
  await insert(unchanged, 3);
  await assert.rejects(unchanged.search(tenant, query), SearchOff);
  await unchanged.close();

  const on = sqliteStorage({ file, search: true });
  await insert(on, 4);
  const found = await on.search(tenant, query);
  assert.deepEqual(
    found.map(({ id }) => id),
    [4, 3, 2, 1].map((index) => idOf(1, index)),
  );
  await on.close();
});

test("removeTenant() removes only this tenant from the search index", async () => {
  const file = join(temporaryFolder(), "crm.db");
  const storage = sqliteStorage({ file });
  const tenants = [await createTenant(storage, 1), await createTenant(storage, 2)];
  for (const tenant of tenants) {
    await commitNow(storage, tenant, startTime, (at) => [
      insertWrite("account", { ...newAccount(idOf(9, 1), at), name: "Acme" }),
    ]);
  }
  await storage.close();
  await removeTenant({ file, tenantId: String(tenants[0]), backUp: async () => {} });
  const reopened = sqliteStorage({ file });
  const found = await Promise.all(tenants.map((tenant) => reopened.search(tenant, query)));
  assert.deepEqual(
    found.map((hits) => hits.length),
    [0, 1],
  );
  await reopened.close();
  const database = new Database(file);
  assert.equal(database.prepare("SELECT count(*) FROM search_index").pluck().get(), 1);
  database.close();
});
