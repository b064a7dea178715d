import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openPostgres } from "../../bin/database/postgres-database.ts";
import { DatabaseError } from "../../lib/storage/postgres/index.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { startForgetfulPooler } from "../support/postgres-pooler.ts";
import { noPostgres } from "../support/postgres-server.ts";

test("a pooler that loses prepared statements is rejected at the start and no table is created", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const address = await freshAddress();
  const pooler = await startForgetfulPooler(address);
  t.after(() => pooler.close());
  await assert.rejects(storageAt(pooler.url), DatabaseError);
  const message =
    /Cannot use the database .*: The connection pooler loses prepared statements\. Use session pooling, PgBouncer 1\.21/;
  await assert.rejects(openPostgres(pooler.url, {}), message);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  t.after(() => client.end());
  const { rows } = await client.query("SELECT to_regclass('tenants') AS name");
  assert.deepEqual(rows, [{ name: null }]);
});
