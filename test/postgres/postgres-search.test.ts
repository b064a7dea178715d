import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { SearchOff } from "../../lib/index.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

const query = { words: ["acme"], kinds: ["account"], limit: 50 } as const;

test("postgresStorage({ search }) switches the search of all servers off and on", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const connectionString = await freshAddress();
  const open = async (search?: boolean): Promise<Storage> => {
    const storage = await postgresStorage(new pg.Pool({ connectionString, max: 2 }), { search });
    t.after(() => storage.close());
    return storage;
  };
  const first = await open();
  const tenant = await createTenant(first, 1);
  const insert = (storage: Storage, ...indexes: readonly number[]) =>
    Promise.all(
      indexes.map((index) =>
        commitNow(storage, tenant, startTime, (at) => [
          insertWrite("account", { ...newAccount(idOf(1, index), at), name: `Acme ${index}` }),
        ]),
      ),
    );
  await insert(first, 1);
  assert.equal((await first.search(tenant, query)).length, 1);

  const off = await open(false);
  for (const storage of [first, off]) await assert.rejects(storage.search(tenant, query), SearchOff);
  // Single commits, then commits of a group.
  for (const index of [2, 3, 4, 5, 6, 7]) await insert(first, index);
  await insert(off, 8, 9);
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("SELECT count(*)::int AS count FROM search_entries");
  await client.end();
  assert.equal(rows[0].count, 0);

  await open(true);
  await insert(off, 10);
  const found = await first.search(tenant, query);
  assert.deepEqual(
    found.map(({ id }) => id).sort(),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((index) => idOf(1, index)),
  );
});
