import assert from "node:assert/strict";
import { test } from "node:test";
import { Health } from "../bin/health.ts";
import { openPostgres } from "../bin/postgres-database.ts";
import { StorageUnavailable } from "../lib/index.ts";
import { base, found, idOf, insert, newTask, put } from "../lib/storage-contract/records.ts";
import { postgresAbsent, quickSettings, startPostgres } from "./postgres-server.ts";

test("a server whose database has become a standby reads, refuses writes as unavailable and is not ready", {
  skip: postgresAbsent,
  timeout: 120_000,
}, async (t) => {
  const server = await startPostgres(quickSettings);
  t.after(() => server.stop());
  const place = await openPostgres(server.url, { connections: 2 });
  const { storage } = place;
  const tenant = await found(storage, 1);
  await server.kill();
  server.demote();
  await server.start();
  // A connection of before may be found broken first.
  await storage.secret().catch(() => {});
  assert.equal((await storage.get(tenant, "tenant", tenant))?.id, tenant);
  const health = new Health();
  health.watch(place, undefined);
  const reasons = ["The database cannot be written to."];
  const body = JSON.stringify({ status: "not ready", reasons });
  assert.deepEqual(await health.answer("/readyz"), { status: 503, body });
  await assert.rejects(place.probe(), StorageUnavailable);
  const added = put(storage, tenant, base, (at) => [insert("task", newTask(idOf(1, 1), at))]);
  await assert.rejects(added, StorageUnavailable);
  await storage.close();
});
