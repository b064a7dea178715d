import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { openPostgres } from "../../bin/database/postgres-database.ts";
import { Health } from "../../bin/server/health.ts";
import { revokeWrite } from "../../lib/api/rules/api-key-status.ts";
import { hashKey } from "../../lib/auth/api-key.ts";
import { StorageUnavailable } from "../../lib/index.ts";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { assertPostgresWritable } from "../../lib/storage/postgres/index.ts";
import { one, openCrm } from "../support/crm.ts";
import { storageAt } from "../support/postgres-databases.ts";
import { noPostgres, quickSettings, startPostgres } from "../support/postgres-server.ts";
import { startForwarder } from "../support/tcp-forwarder.ts";

describe("a standby", { skip: noPostgres, timeout: 120_000 }, () => {
  test("a server whose primary restarts as a standby rejects reads and writes and isn't ready", async (t) => {
    const server = await startPostgres(quickSettings);
    t.after(() => server.stop());
    const database = await openPostgres(server.url, { connections: 2 });
    const { storage } = database;
    t.after(() => storage.close());
    const tenant = await createTenant(storage, 1);
    await server.kill();
    server.demote();
    await server.start();
    await assert.rejects(storage.get(tenant, "tenant", tenant), StorageUnavailable);
    const reads = Promise.all([1, 2].map(() => storage.get(tenant, "tenant", tenant)));
    await assert.rejects(reads, StorageUnavailable);
    const health = new Health({ reads: () => database.storage.cursorSecret(), writes: database.probe });
    const body = JSON.stringify({ status: "not ready", reasons: ["Cannot read from the database."] });
    const { status, body: readiness } = await health.respond("/readyz");
    const { checks: _, ...rest } = JSON.parse(readiness);
    assert.deepEqual([status, JSON.stringify(rest)], [503, body]);
    await assert.rejects(database.probe(), StorageUnavailable);
    const commit = commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
    await assert.rejects(commit, StorageUnavailable);
    // A pool without the check, as if a pooler had moved the connection to the standby later.
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    t.after(() => pool.end());
    pool.on("error", () => {});
    await assert.rejects(assertPostgresWritable(pool), StorageUnavailable);
  });

  test("opening a standby fails and says to use the primary", async (t) => {
    const server = await startPostgres(quickSettings);
    t.after(() => server.stop());
    await server.kill();
    server.demote();
    await server.start();
    const message =
      /Cannot use the database .*: This PostgreSQL server is a standby\. Use the address of the primary\.$/;
    await assert.rejects(openPostgres(server.url, {}), message);
  });

  test("after a failover with the old primary as a standby, a revoked API key gets 401 and a POST is created", async (t) => {
    const [oldPrimary, newPrimary] = await Promise.all([startPostgres(quickSettings), startPostgres(quickSettings)]);
    t.after(() => Promise.all([oldPrimary.stop(), newPrimary.stop()]));
    const portOf = (url: string): number => Number(new URL(url).port);
    const forwarder = await startForwarder(portOf(oldPrimary.url));
    t.after(() => forwarder.close());
    const address = oldPrimary.url.replace(String(portOf(oldPrimary.url)), String(forwarder.port));
    const { storage } = await openPostgres(address, { connections: 2 });
    const crm = await openCrm({}, { storage });
    // The same records with the same IDs, as after replication.
    const promoted = await openCrm({}, { storage: await storageAt(newPrimary.url) });
    const statuses = async (key: string) =>
      Promise.all([
        crm.send("GET", "/me", { key }).then(({ status }) => status),
        crm.send("POST", "/tasks", { key, body: { title: "Call" } }).then(({ status }) => status),
      ]);
    assert.deepEqual(await statuses(one.key), [200, 201]);

    await oldPrimary.kill();
    oldPrimary.demote();
    await oldPrimary.start();
    assert.deepEqual(await statuses(one.key), [503, 503]);

    forwarder.moveTo(portOf(newPrimary.url));
    const apiKey = await promoted.storage.findApiKey(hashKey(one.readKey));
    assert.ok(apiKey);
    await promoted.storage.commit(one.id, promoted.clock.now(), (at) => [revokeWrite(apiKey, at, at)]);
    assert.equal((await crm.send("GET", "/me", { key: one.readKey })).status, 401);
    assert.deepEqual(await statuses(one.key), [200, 201]);
  });
});
