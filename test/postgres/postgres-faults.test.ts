import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import pg from "pg";
import { createApi, StorageUnavailable, WriteConflict } from "../../lib/index.ts";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { type CommitStats, postgresStorage } from "../../lib/storage/postgres/index.ts";
import { one, openCrm, two, unknown } from "../support/crm.ts";
import { send } from "../support/harness.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { holdClock, isGroup } from "../support/postgres-groups.ts";
import { interceptedStorage } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";

/** Repeats a request until it returns a result. The timeout of the test limits the time. */
async function until<T>(query: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await query();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns how many connections to this database wait for a lock. */
async function waitingConnections(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0].count;
}

/** Opens an API on a database, and another connection to that database. */
async function openApi(t: TestContext, options: pg.PoolConfig = {}) {
  const address = await freshAddress();
  const crm = await openCrm({}, { storage: await storageAt(address, options) });
  const pool = new pg.Pool({ connectionString: address, max: 1 });
  pool.on("error", () => {});
  t.after(() => pool.end());
  const post = (tenant = one) => crm.send("POST", "/tasks", { key: tenant.key, body: { title: "Call" } });
  const get = () => crm.send("GET", `/tasks/${one.task}`, { key: one.key });
  // The first request also records the use of its API key.
  await get();
  await crm.send("GET", "/me", { key: two.key });
  for (const { id } of [one, two]) await crm.storage.commit(id, crm.clock.now(), () => []);
  return { address, crm, pool, post, get };
}

describe("PostgreSQL errors", { skip: noPostgres, timeout: 300_000 }, () => {
  test("a connection that breaks during a commit returns 503, and the next POST succeeds", async (t) => {
    const { address, pool, post } = await openApi(t);
    const release = await holdClock(t, address, one.id);
    const posted = post();
    await until(async () => ((await waitingConnections(pool)) > 0 ? true : undefined));
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    const { status, headers } = await posted;
    assert.deepEqual([status, headers.has("retry-after")], [503, true]);
    await release();
    assert.equal((await post()).status, 201);
  });

  test("writes of a locked tenant return 503; reads and other tenants work", async (t) => {
    const { address, post, get } = await openApi(t);
    const release = await holdClock(t, address, one.id);
    const [held, other, read] = await Promise.all([post(), post(two), get()]);
    assert.deepEqual([held.status, other.status, read.status], [503, 201, 200]);
    assert.ok(held.headers.has("retry-after"));
    await release();
    assert.equal((await post()).status, 201);
  });

  test("requests return 503 while the pool is exhausted", async (t) => {
    const { address, pool, post, get } = await openApi(t, { max: 1, connectionTimeoutMillis: 200 });
    const release = await holdClock(t, address, one.id);
    const posted = post();
    await until(async () => ((await waitingConnections(pool)) > 0 ? true : undefined));
    const { status, headers } = await get();
    assert.deepEqual([status, headers.has("retry-after")], [503, true]);
    await release();
    assert.equal((await posted).status, 201);
    assert.equal((await get()).status, 200);
  });

  test("postgresStorage sets timeouts on a pool that has none and reports each transaction to onCommit", async () => {
    const address = await freshAddress();
    const options: pg.PoolConfig = { connectionString: address, allowExitOnIdle: true };
    const pool = new pg.Pool(options);
    const batches: CommitStats[] = [];
    const storage = await postgresStorage(pool, { onCommit: (batch) => void batches.push(batch) });
    assert.deepEqual([pool.options.connectionTimeoutMillis, pool.options.query_timeout], [5_000, 30_000]);
    await createTenant(storage, 1);
    await assert.rejects(createTenant(storage, 1), WriteConflict);
    assert.deepEqual(
      batches.map(({ commits, durationMs }) => [commits, durationMs > 0]),
      [[1, true]],
    );
    await storage.close();
  });

  test("an error that the storage can't examine rejects the commit, and later commits succeed", async () => {
    let fault: Error | undefined;
    const storage = await interceptedStorage(await freshAddress(), (_text, send) =>
      fault === undefined ? send() : Promise.reject(fault),
    );
    const tenant = await createTenant(storage, 1);
    const insert = (number: number) =>
      storage.commit(tenant, startTime + number, (at) => [insertWrite("task", newTask(idOf(1, number), at))]);
    await insert(1);
    fault = Object.defineProperty(new Error("broken"), "code", {
      get: () => {
        throw new TypeError("no code");
      },
    });
    for (const number of [2, 3]) await assert.rejects(insert(number), { message: "no code" });
    fault = undefined;
    await insert(4);
    await storage.close();
  });

  test("the lock of a server that hangs during a commit is released", async (t) => {
    const { address, crm, post } = await openApi(t);
    let halted = false;
    const storage = await interceptedStorage(address, (text, send) => {
      if (!halted && !text.startsWith("WITH")) return send();
      halted = true;
      return new Promise(() => {});
    });
    void storage
      .commit(one.id, crm.clock.now() + 1_000, (at) => [
        {
          op: "insert",
          kind: "tenant",
          record: { id: one.id, name: "x", createdAt: at, updatedAt: at, archivedAt: null },
        },
      ])
      .catch(() => {});
    await until(async () => (halted ? true : undefined));
    const statuses = new Set<number>();
    await until(async () => {
      const { status } = await post();
      statuses.add(status);
      return status === 201 ? true : undefined;
    });
    assert.deepEqual([...statuses], [503, 201]);
  });

  test("a POST whose commit got no response returns 503, and its retry is a replay", async (t) => {
    const { address } = await openApi(t);
    let [armed, lost] = [false, 0];
    const storage = await interceptedStorage(address, async (text, send) => {
      const result = await send();
      if (!armed || !isGroup(text)) return result;
      lost++;
      armed = false;
      throw new Error("Connection terminated unexpectedly");
    });
    const api = createApi({ storage });
    const headers = { "idempotency-key": "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a22" };
    const post = () => send(api, "POST", "/tasks", { key: one.key, headers, body: { title: "Once" } });
    await send(api, "GET", "/me", { key: one.key });
    await storage.commit(one.id, 0, () => []);
    armed = true;
    const [first, second] = [await post(), await post()];
    assert.deepEqual([first.status, second.status, second.headers.get("idempotent-replayed")], [503, 201, "true"]);
    assert.equal(lost, 1);
    await api.close();
  });

  test("a rejected commit succeeds if another server removes the conflict before the retry", async (t) => {
    const { address, crm } = await openApi(t);
    const rename = (name: string) => crm.send("PATCH", `/accounts/${one.account}`, { key: one.key, body: { name } });
    let rollbacks = 0;
    const storage = await interceptedStorage(address, async (text, send) => {
      if (text === "ROLLBACK" && rollbacks++ === 0) await rename("Former");
      return send();
    });
    const [acme] = await storage.list(one.id, "account", { where: { name: "Acme" } });
    assert.ok(acme);
    await storage.commit(one.id, 0, (at) => [
      { op: "insert", kind: "account", record: { ...acme, id: unknown, createdAt: at, updatedAt: at } },
    ]);
    assert.equal(rollbacks, 1);
    const names = (await storage.list(one.id, "account", {})).map(({ name }) => name);
    assert.deepEqual(names, ["Former", "Acme"]);
    await storage.close();
  });

  test("postgresStorage() rejects with StorageUnavailable if the server can't be reached", async () => {
    await assert.rejects(storageAt("postgres://crm@127.0.0.1:1/crm"), StorageUnavailable);
  });
});
