import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import {
  createTenant,
  idOf,
  insertWrite,
  newIdempotencyRecord,
  newTask,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { sharedReads } from "../../lib/storage/postgres/connection.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { interceptedStorage, observedStorage } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";

async function openPool(t: TestContext, options: pg.PoolConfig = {}): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await freshAddress(), max: 4, ...options });
  pool.on("error", () => {});
  t.after(() => pool.ended || pool.end());
  return pool;
}

const number = (value: number) => ({ name: "number", text: "SELECT $1::int AS value", values: [value] });
const valuesOf = (results: readonly pg.QueryResult[]): unknown[] => results.map(({ rows }) => rows[0].value);

describe("sharedReads()", { skip: noPostgres, timeout: 60_000 }, () => {
  test("runs the reads of a turn of the event loop on one connection", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const read = sharedReads(pool);
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    assert.deepEqual(valuesOf(await Promise.all(numbers.map((each) => read(number(each))))), numbers);
    assert.equal(pool.totalCount, 1);
  });

  test("runs the reads of many turns on two connections, and then returns them to the pool", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const read = sharedReads(pool);
    const lock = await pool.connect();
    await lock.query("SELECT pg_advisory_lock(1)");
    const results: Promise<pg.QueryResult>[] = [];
    for (let turn = 0; turn < 50; turn++) {
      results.push(read({ text: "SELECT 1 AS value FROM pg_advisory_xact_lock_shared(1)" }));
      await setImmediate();
    }
    assert.equal(pool.totalCount, 3);
    await lock.query("SELECT pg_advisory_unlock(1)");
    lock.release();
    assert.deepEqual(new Set(valuesOf(await Promise.all(results))), new Set([1]));
    assert.equal(pool.idleCount, 3);
  });

  test("uses a connection per read if the pool isn't pipelined", async (t) => {
    const pool = await openPool(t);
    const read = sharedReads(pool);
    assert.deepEqual(valuesOf(await Promise.all([1, 2, 3].map((each) => read(number(each))))), [1, 2, 3]);
    assert.equal(pool.totalCount, 3);
  });

  test("doesn't wait for reads of an earlier turn", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const read = sharedReads(pool);
    const lock = await pool.connect();
    await lock.query("SELECT pg_advisory_lock(1)");
    const slow = read({ text: "SELECT 1 AS value FROM pg_advisory_xact_lock(1)" });
    await setImmediate();
    assert.deepEqual(valuesOf([await read(number(2))]), [2]);
    await lock.query("SELECT pg_advisory_unlock(1)");
    lock.release();
    assert.deepEqual(valuesOf([await slow]), [1]);
  });

  test("returns a connection to the pool after 1,000 reads, for callers that wait for one", async (t) => {
    const pool = await openPool(t, { pipeline: true, max: 3 });
    const read = sharedReads(pool);
    const lock = await pool.connect();
    await lock.query("SELECT pg_advisory_lock(1)");
    const results: Promise<unknown>[] = [];
    let completed = 0;
    for (let connection = 0; connection < 2; connection++) {
      results.push(read({ text: "SELECT pg_advisory_xact_lock_shared(1)" }));
      await setImmediate();
    }
    // All connections are in use, and no read ends before the lock is released.
    const other = pool.connect().then((client) => ({ client, before: completed }));
    for (let turn = 0; turn < 50; turn++) {
      for (let count = 0; count < 100; count++) results.push(read(number(1)).then(() => completed++));
      await setImmediate();
    }
    await lock.query("SELECT pg_advisory_unlock(1)");
    const { client, before } = await other;
    client.release();
    lock.release();
    await Promise.all(results);
    assert.ok(before <= 2_000, `after ${before} reads`);
  });

  test("returns the other results if a read fails, and closes the connection", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const read = sharedReads(pool);
    const texts = ["SELECT 1 AS value", "SELECT 1 / 0", "SELECT pg_backend_pid() AS value"];
    const [first, failed, last] = await Promise.allSettled(texts.map((text) => read({ text })));
    assert.deepEqual(first?.status === "fulfilled" && valuesOf([first.value]), [1]);
    assert.equal(failed?.status === "rejected" && failed.reason.code, "22012");
    assert.ok(last?.status === "fulfilled");
    const again = await read({ text: "SELECT pg_backend_pid() AS value" });
    assert.notDeepEqual(valuesOf([again]), valuesOf([last.value]));
  });

  test("rejects all reads of a broken connection, and then reads on a new connection", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const read = sharedReads(pool);
    const cut = { text: "SELECT pg_terminate_backend(pg_backend_pid())" };
    const results = await Promise.allSettled([read(cut), read(number(1)), read(number(2))]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.deepEqual(valuesOf(await Promise.all([read(number(1)), read(number(2))])), [1, 2]);
  });
});

describe("settingsVersion()", { skip: noPostgres, timeout: 60_000 }, () => {
  test("reads the versions of several tenants in a turn by one statement", async (t) => {
    const sent: string[] = [];
    const storage = await observedStorage(await freshAddress(), (text) => sent.push(text));
    t.after(() => storage.close());
    const tenants = [await createTenant(storage, 1), await createTenant(storage, 2, startTime + 1_000)];
    const before = sent.length;
    const ids = [...tenants, idOf(9, 0), ...tenants];
    const versions = await Promise.all(ids.map((id) => storage.settingsVersion(id)));
    const [first, second] = [startTime, startTime + 1_000];
    assert.deepEqual(versions, [first, second, 0, first, second]);
    assert.equal(sent.length - before, 1, sent.slice(before).join("\n"));
  });

  test("rejects for all tenants if the statement fails, and then reads again", async (t) => {
    let isBroken = false;
    const storage = await interceptedStorage(await freshAddress(), (text, send) =>
      isBroken && text.includes("settings_version") ? send("SELECT 1 / 0") : send(),
    );
    t.after(() => storage.close());
    const tenants = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const read = () => Promise.allSettled(tenants.map((tenant) => storage.settingsVersion(tenant)));
    isBroken = true;
    assert.deepEqual(
      (await read()).map(({ status }) => status),
      ["rejected", "rejected"],
    );
    isBroken = false;
    assert.deepEqual(await Promise.all(tenants.map((tenant) => storage.settingsVersion(tenant))), [
      startTime,
      startTime,
    ]);
  });
});

test("the idempotency records of several tenants in a turn are read by one statement, each only for its tenant", {
  skip: noPostgres,
}, async (t) => {
  const sent: string[] = [];
  const storage = await observedStorage(await freshAddress(), (text) => sent.push(text));
  t.after(() => storage.close());
  const tenants = [await createTenant(storage, 1), await createTenant(storage, 2)] as const;
  const id = idOf(1, 1);
  for (const [index, tenant] of tenants.entries())
    await storage.commit(tenant, 0, (at) => [
      insertWrite("idempotencyRecord", { ...newIdempotencyRecord(id, at), body: `body ${index}` }),
    ]);
  const before = sent.length;
  const wanted = [...[...tenants, idOf(9, 0), tenants[0]].map((tenant) => [tenant, id]), [tenants[0], idOf(1, 2)]];
  const found = await Promise.all(
    wanted.map(([tenant = "", each = ""]) => storage.get(tenant, "idempotencyRecord", each)),
  );
  assert.deepEqual(
    found.map((each) => each?.body),
    ["body 0", "body 1", undefined, "body 0", undefined],
  );
  assert.equal(sent.length - before, 1, sent.slice(before).join("\n"));
});

test("a pool with open connections is pipelined from its next connection on", {
  skip: noPostgres,
}, async (t) => {
  const pool = await openPool(t, { max: 2 });
  await pool.query("SELECT");
  const storage = await postgresStorage(pool);
  const tenant = await createTenant(storage, 1);
  const ids = Array.from({ length: 20 }, (_, index) => idOf(1, index + 1));
  await Promise.all(ids.map((id) => storage.commit(tenant, 0, (at) => [insertWrite("task", newTask(id, at))])));
  const tasks = await Promise.all(ids.map((id) => storage.get(tenant, "task", id)));
  assert.deepEqual(
    tasks.map((task) => task?.id),
    ids,
  );
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) client.release();
  assert.deepEqual(clients.map(({ pipeline }) => pipeline).sort(), [false, true]);
});

test("other reads don't wait for slow searches", { skip: noPostgres, timeout: 60_000 }, async (t) => {
  const pool = await openPool(t, { max: 10 });
  const storage = await postgresStorage(pool);
  const tenant = await createTenant(storage, 1);
  const lock = await pool.connect();
  await lock.query("BEGIN");
  await lock.query("LOCK TABLE search_entries IN ACCESS EXCLUSIVE MODE");
  const searches = [];
  for (let turn = 0; turn < 4; turn++) {
    searches.push(storage.search(tenant, { words: ["acme"], kinds: ["account"], limit: 10 }));
    await setImmediate();
  }
  assert.equal((await storage.get(tenant, "tenant", tenant))?.id, tenant);
  await lock.query("ROLLBACK");
  lock.release();
  assert.deepEqual((await Promise.all(searches)).flat(), []);
});

test("postgresStorage() respects pipeline: false", { skip: noPostgres }, async (t) => {
  const pool = await openPool(t, { pipeline: false });
  await postgresStorage(pool);
  const client = await pool.connect();
  client.release();
  assert.equal(client.pipeline, false);
});
