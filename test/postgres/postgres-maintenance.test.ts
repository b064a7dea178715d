import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTenant, insertWrite, newIdempotencyRecord, startTime } from "../../lib/storage/contract/records.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { observedStorage } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";

test("pruneIdempotencyRecords() sends one statement for all tenants, which reads only the oldest records", {
  skip: noPostgres,
}, async (t) => {
  const connectionString = await freshAddress();
  const sent: string[] = [];
  const storage = await observedStorage(connectionString, (text) => sent.push(text));
  const client = new pg.Client({ connectionString });
  await client.connect();
  t.after(() => Promise.all([client.end(), storage.close()]));
  for (let number = 1; number <= 5; number++) {
    const tenant = await createTenant(storage, number);
    await storage.commit(tenant, startTime + 1, (at) => [
      insertWrite("idempotencyRecord", newIdempotencyRecord("old", at, startTime - 1)),
    ]);
  }
  await client.query(`INSERT INTO idempotency_records (tenant_id, id, fingerprint, path, status, created_at, updated_at)
    SELECT tenant_id, i::text, 'f', '/accounts', 200, ${startTime} + i, ${startTime} FROM tenants, generate_series(1, 2000) i`);
  await client.query("ANALYZE");
  sent.length = 0;
  assert.equal(await storage.pruneIdempotencyRecords(startTime), 5);
  assert.equal(sent.length, 1);
  const { rows } = await client.query(`EXPLAIN ${sent[0]}`, [startTime, 500]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  // settings has a few rows.
  assert.doesNotMatch(plan, /Seq Scan on (?!settings )/);
  assert.match(plan, /idempotency_records_by_age/);
});
