import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import pg from "pg";
import { openDatabase, openMemory } from "../../bin/database/database.ts";
import type { OpenDatabase } from "../../bin/database/open-database.ts";
import { openPostgres } from "../../bin/database/postgres-database.ts";
import { Health } from "../../bin/server/health.ts";
import { StorageUnavailable } from "../../lib/index.ts";
import { startTime } from "../../lib/storage/contract/records.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { root } from "../support/sqlite-shared.ts";

const checksOf = ({ storage, probe }: Pick<OpenDatabase, "storage" | "probe">) => ({
  reads: () => storage.cursorSecret(),
  writes: probe,
});
const checks = (database: boolean) =>
  Object.entries({ disk: true, database, search: true }).map(([name, ok]) => ({ name, ok, durationMs: "number" }));
const ready = { status: 200, body: { status: "ready", checks: checks(true) } };
const reasons = ["Cannot write to the database."];
const notReady = { status: 503, body: { status: "not ready", reasons, checks: checks(false) } };

/** Returns the readiness, with the types of the durations, which vary. */
async function readiness(health: Health) {
  const { status, body } = await health.respond("/readyz");
  const { checks: found, ...rest } = JSON.parse(body) as { checks: { durationMs: unknown }[] };
  return { status, body: { ...rest, checks: found.map((each) => ({ ...each, durationMs: typeof each.durationMs })) } };
}

test("the server isn't ready while another process holds the lock, and then is ready again", {
  timeout: 60_000,
}, async () => {
  const data = join(root, "health");
  const opened = await openDatabase({ data }, process, { create: true });
  const holder = new Database(join(data, "crm.db"));
  const health = new Health({ ...checksOf(opened), cacheMs: 0, timeoutMs: 500 });
  assert.deepEqual(await readiness(health), ready);
  holder.exec("BEGIN IMMEDIATE");
  while ((await health.respond("/readyz"))?.status === 200);
  assert.deepEqual(await readiness(health), notReady);
  holder.exec("COMMIT");
  while ((await health.respond("/readyz"))?.status !== 200);
  holder.close();
  await opened.storage.close();
});

test("a database that doesn't respond is probed once, however often its health is requested", {
  timeout: 60_000,
}, async () => {
  let probes = 0;
  const probe = (): Promise<void> => new Promise(() => probes++);
  const { storage } = openMemory();
  const health = new Health({ ...checksOf({ storage, probe }), cacheMs: 0, timeoutMs: 50 });
  assert.deepEqual(await readiness(health), notReady);
  const both = await Promise.all([readiness(health), readiness(health)]);
  assert.deepEqual(both, [notReady, notReady]);
  assert.equal(probes, 1);
  await storage.close();
});

test("a database in memory is ready, and the check changes nothing in it", async () => {
  const { storage, probe } = openMemory();
  await probe();
  assert.deepEqual(await storage.listTenants(), []);
  await storage.close();
  await assert.rejects(probe(), StorageUnavailable);
});

test("on PostgreSQL, the server isn't ready while no commit is possible, and then is ready again", {
  skip: noPostgres,
  timeout: 120_000,
}, async () => {
  const address = await freshAddress();
  const opened = await openPostgres(address, { connections: 2 });
  const other = new pg.Client({ connectionString: address });
  await other.connect();
  const health = new Health(checksOf(opened));
  assert.deepEqual(await readiness(health), ready);
  await other.query("BEGIN; LOCK TABLE tenant_clocks IN ACCESS EXCLUSIVE MODE");
  while ((await health.respond("/readyz"))?.status === 200);
  assert.deepEqual(await readiness(health), notReady);
  await other.query("ROLLBACK");
  while ((await health.respond("/readyz"))?.status !== 200);
  const { rows } = await other.query("SELECT count(*)::int AS clocks FROM tenant_clocks");
  assert.deepEqual([rows, await opened.storage.pruneIdempotencyRecords(startTime)], [[{ clocks: 0 }], 0]);
  await other.end();
  await opened.storage.close();
});

test("a search that fails is in the checks and doesn't make the server unready", async () => {
  const { storage, probe } = openMemory();
  const search = () => Promise.reject(new Error("the index is damaged"));
  const health = new Health({ ...checksOf({ storage, probe }), search });
  const [disk, database] = checks(true);
  const failed = { name: "search", ok: false, durationMs: "number" };
  assert.deepEqual(await readiness(health), {
    status: 200,
    body: { status: "ready", checks: [disk, database, failed] },
  });
  await storage.close();
});
