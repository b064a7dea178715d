import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { createTenant, idOf, insertWrite, newTask } from "../../lib/storage/contract/records.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { freshAddress } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";

/** The last byte that PostgreSQL sends when a connection is ready, or an answer is whole. */
const idle = "I".charCodeAt(0);

/** What PostgreSQL says when an administrator ends a connection. */
function farewell(): Buffer {
  const fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection due to administrator command"];
  const body = Buffer.from(`${fields.join("\0")}\0\0`);
  const head = Buffer.from("E0000");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** When a proxy ends new connections: with the message that they are ready, or on their first query. */
type Ending = "ready" | "query" | undefined;

/** Starts a proxy to the database that can end new connections. */
async function fragile(t: TestContext, address: string) {
  const url = new URL(address);
  const way: { url: URL; ending: Ending } = { url, ending: undefined };
  const { port, hostname } = url;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on("error", () => {}).pipe(server);
    client.on("data", (bytes) => {
      if (way.ending === "query" && bytes.includes("pg_is_in_recovery")) client.destroy();
    });
    server.on("error", () => {}).on("close", () => client.end());
    server.on("data", (bytes) => {
      if (way.ending !== "ready" || bytes.at(-1) !== idle) return client.write(bytes);
      client.end(Buffer.concat([bytes, farewell()]));
      server.destroy();
    });
  }).listen(0, "127.0.0.1");
  t.after(() => proxy.close());
  await once(proxy, "listening");
  way.url = Object.assign(new URL(address), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  return way;
}

test("a connection that breaks right after it opens fails the request, not the process", {
  skip: postgresAbsent,
  timeout: 60_000,
}, async (t) => {
  const way = await fragile(t, await freshAddress());
  const pool = new pg.Pool({ connectionString: way.url.href, max: 4, idleTimeoutMillis: 1 });
  const storage = await postgresStorage(pool);
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  const id = idOf(1, 1);
  while (pool.totalCount > 0) await once(pool, "remove");
  const read = () => storage.get(tenant, "task", id);
  const write = () => storage.commit(tenant, 0, (at) => [insertWrite("task", newTask(id, at))]);
  for (way.ending of ["ready", "query"] as const) {
    for (const asked of [[read], [read, read], [write]]) {
      const answers = await Promise.allSettled(asked.map((ask) => ask()));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(["rejected"]));
    }
  }
  way.ending = undefined;
  await write();
  assert.equal((await read())?.id, id);
});

test("postgresStorage() rejects a pool with binary: true", {
  skip: postgresAbsent,
}, async (t) => {
  const pool = new pg.Pool({ connectionString: await freshAddress(), binary: true } as pg.PoolConfig);
  t.after(() => pool.end());
  await assert.rejects(postgresStorage(pool), { name: "TypeError", message: /binary: true/ });
});
