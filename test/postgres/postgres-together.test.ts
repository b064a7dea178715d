import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import pg from "pg";
import { createTenant, idOf, insertWrite, newTask } from "../../lib/storage/contract/records.ts";
import { batchReads } from "../../lib/storage/postgres/connection.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";

async function openPool(t: TestContext, options: pg.PoolConfig = {}): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await freshAddress(), max: 4, ...options });
  pool.on("error", () => {});
  t.after(() => pool.ended || pool.end());
  return pool;
}

const number = (value: number) => ({ name: "number", text: "SELECT $1::int AS value", values: [value] });
const valuesOf = (answers: readonly pg.QueryResult[]): unknown[] => answers.map(({ rows }) => rows[0].value);

describe("batchReads()", { skip: postgresAbsent, timeout: 60_000 }, () => {
  test("runs up to 32 concurrent reads on one connection", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const ask = batchReads(pool);
    for (const [count, connections] of [
      [1, 1],
      [32, 1],
      [33, 2],
    ] as const) {
      const numbers = Array.from({ length: count }, (_, index) => index);
      assert.deepEqual(valuesOf(await Promise.all(numbers.map((each) => ask(number(each))))), numbers);
      assert.equal(pool.totalCount, connections);
    }
  });

  test("uses a connection per read if the pool isn't pipelined", async (t) => {
    const pool = await openPool(t);
    const ask = batchReads(pool);
    assert.deepEqual(valuesOf(await Promise.all([1, 2, 3].map((each) => ask(number(each))))), [1, 2, 3]);
    assert.equal(pool.totalCount, 3);
  });

  test("doesn't wait for reads of an earlier microtask", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const ask = batchReads(pool);
    const lock = await pool.connect();
    await lock.query("SELECT pg_advisory_lock(1)");
    const slow = ask({ text: "SELECT 1 AS value FROM pg_advisory_xact_lock(1)" });
    await Promise.resolve();
    assert.deepEqual(valuesOf([await ask(number(2))]), [2]);
    await lock.query("SELECT pg_advisory_unlock(1)");
    lock.release();
    assert.deepEqual(valuesOf([await slow]), [1]);
  });

  test("returns the other results if a read fails, and closes the connection", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const ask = batchReads(pool);
    const texts = ["SELECT 1 AS value", "SELECT 1 / 0", "SELECT pg_backend_pid() AS value"];
    const [first, refused, last] = await Promise.allSettled(texts.map((text) => ask({ text })));
    assert.deepEqual(first?.status === "fulfilled" && valuesOf([first.value]), [1]);
    assert.equal(refused?.status === "rejected" && refused.reason.code, "22012");
    assert.ok(last?.status === "fulfilled");
    const again = await ask({ text: "SELECT pg_backend_pid() AS value" });
    assert.notDeepEqual(valuesOf([again]), valuesOf([last.value]));
  });

  test("rejects all reads of a broken connection, and then works again", async (t) => {
    const pool = await openPool(t, { pipeline: true });
    const ask = batchReads(pool);
    const cut = { text: "SELECT pg_terminate_backend(pg_backend_pid())" };
    const answers = await Promise.allSettled([ask(cut), ask(number(1)), ask(number(2))]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.deepEqual(valuesOf(await Promise.all([ask(number(1)), ask(number(2))])), [1, 2]);
  });
});

test("a pool with open connections is pipelined from its next connection on", {
  skip: postgresAbsent,
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

test("postgresStorage() respects pipeline: false", { skip: postgresAbsent }, async (t) => {
  const pool = await openPool(t, { pipeline: false });
  await postgresStorage(pool);
  const client = await pool.connect();
  client.release();
  assert.equal(client.pipeline, false);
});
