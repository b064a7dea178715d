import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { postgresRequestLog, postgresStorage, removeTenant } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { assertRequestLog, logEntry, startedAt } from "../support/request-logs.ts";

const dayMs = 86_400_000;

test("postgresRequestLog finds, counts and removes entries", { skip: noPostgres }, async (t) => {
  const pool = new pg.Pool({ connectionString: await freshAddress(), max: 2 });
  const storage = await postgresStorage(pool);
  t.after(() => storage.close());
  const limits = { maxAgeMs: 7 * dayMs, maxTenantEntries: 100, maxEntries: 150 };
  const log = postgresRequestLog(pool, limits);
  const count = async (tenantId: string) => (await log.find(tenantId, { limit: 1_000 })).length;
  await assertRequestLog(log);
  await log.append([logEntry({ at: startedAt + 7 * dayMs + 2, requestId: "new" })]);
  assert.deepEqual(
    (await log.find("a", { limit: 10 })).map(({ requestId }) => requestId),
    ["new"],
  );
  const later = startedAt + 7 * dayMs;
  for (let i = 0; i < 120; i++) await log.append([logEntry({ tenantId: "c", at: later + i })]);
  const found = await count("c");
  assert.ok(found <= 100 && found >= 90, `${found} entries`);
  for (let i = 0; i < 90; i++) await log.append([logEntry({ tenantId: "d", at: later + 200 + i })]);
  assert.ok((await count("c")) + (await count("d")) <= 150);
  await removeTenant(pool, "d", async () => {});
  assert.equal(await count("d"), 0);
});
