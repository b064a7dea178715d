import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { createTenant, idOf, insertWrite, newTask } from "../../lib/storage/contract/records.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

/** The last byte that PostgreSQL sends when a connection is ready or a response is complete. */
const idle = "I".charCodeAt(0);

/** Returns the message that PostgreSQL sends before `pg_terminate_backend` ends a connection. */
function terminationMessage(): Buffer {
  const fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection"];
  const body = Buffer.from(`${fields.join("\0")}\0\0`);
  const head = Buffer.from("E0000");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The time at which the proxy ends new connections: after the ready message or on the first query. */
type Ending = "ready" | "query" | undefined;

/** Starts a proxy to the database that can end new connections. */
async function startProxy(t: TestContext, address: string) {
  const url = new URL(address);
  const proxied: { url: URL; ending: Ending } = { url, ending: undefined };
  const { port, hostname } = url;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on("error", () => {}).pipe(server);
    client.on("data", (bytes) => {
      if (proxied.ending === "query" && bytes.includes("pg_is_in_recovery")) client.destroy();
    });
    server.on("error", () => {}).on("close", () => client.end());
    server.on("data", (bytes) => {
      if (proxied.ending !== "ready" || bytes.at(-1) !== idle) return client.write(bytes);
      client.end(Buffer.concat([bytes, terminationMessage()]));
      server.destroy();
    });
  }).listen(0, "127.0.0.1");
  t.after(() => proxy.close());
  await once(proxy, "listening");
  proxied.url = Object.assign(new URL(address), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  return proxied;
}

test("a connection that breaks right after it opens fails the request, not the process", {
  skip: noPostgres,
  timeout: 60_000,
}, async (t) => {
  const proxied = await startProxy(t, await freshAddress());
  const pool = new pg.Pool({ connectionString: proxied.url.href, max: 4, idleTimeoutMillis: 1 });
  const storage = await postgresStorage(pool);
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  const id = idOf(1, 1);
  while (pool.totalCount > 0) await once(pool, "remove");
  const read = () => storage.get(tenant, "task", id);
  const write = () => storage.commit(tenant, 0, (at) => [insertWrite("task", newTask(id, at))]);
  for (proxied.ending of ["ready", "query"] as const) {
    for (const calls of [[read], [read, read], [write]]) {
      const results = await Promise.allSettled(calls.map((call) => call()));
      assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(["rejected"]));
    }
  }
  proxied.ending = undefined;
  await write();
  assert.equal((await read())?.id, id);
});

test("postgresStorage() rejects a pool with binary: true", {
  skip: noPostgres,
}, async (t) => {
  const pool = new pg.Pool({ connectionString: await freshAddress(), binary: true } as pg.PoolConfig);
  t.after(() => pool.end());
  await assert.rejects(postgresStorage(pool), { name: "TypeError", message: /binary: true/ });
});
