import assert from "node:assert/strict";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { type AppOptions, createApi, type RequestSummary, type Storage, wrapStorage } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { tenantWithKeys } from "../../prove/failures/many-keys.ts";
import { sequentialIds, TestClock } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

/** Ends a test that hangs. */
const timeout = 300_000;
/** 22 tasks of this length exceed a page, which has at most 4 MiB. */
const description = "語".repeat(65_536);
const taskCount = 22;
/** The number of pages that one API key can leave unread. The last one exceeds 32 MiB. */
const pagesPerKey = 9;
/** The number of pages that a tenant can leave unread. The last one exceeds 128 MiB. */
const pagesPerTenant = 33;

/** A connection of a client that reads nothing before `startReading`. No operating system buffers its bytes. */
class Connection extends Duplex {
  readonly #unread: (() => void)[] = [];
  readonly #written = Promise.withResolvers<void>();
  #start = "";
  #isReading = false;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#start += chunk.toString("latin1", 0, 1_000);
    this.#written.resolve();
    if (this.#isReading) done();
    else this.#unread.push(done);
  }

  /** Sends this request `count` times. */
  get(path: string, key: string, count = 1): this {
    this.push(`GET /integrations/v1${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`.repeat(count));
    return this;
  }

  post(path: string, key: string, body: unknown): this {
    const text = JSON.stringify(body);
    const headers = `Host: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`;
    this.push(`POST /integrations/v1${path} HTTP/1.1\r\n${headers}\r\n\r\n${text}`);
    return this;
  }

  startReading(): void {
    this.#isReading = true;
    for (const done of this.#unread.splice(0)) done();
  }

  /** Resolves with the status and the Retry-After of the first response when its first bytes are sent. */
  async head(): Promise<string> {
    await this.#written.promise;
    const [, seconds] = /^retry-after: (.*)\r$/im.exec(this.#start) ?? [];
    return this.#start.slice(9, 12) + (seconds === undefined ? "" : `, retry after ${seconds} s`);
  }
}

/**
 * Starts a server with two tenants. The first has ten API keys and more than a page of tasks, the second one API key.
 */
async function start(t: TestContext, options: AppOptions = {}, wrap = (storage: Storage): Storage => storage) {
  const clock = new TestClock();
  const storage = wrap(sqliteStorage({ file: ":memory:" }));
  const loaded = [tenantWithKeys(10, 1), tenantWithKeys(1, 2)];
  for (const { file } of loaded) await loadTenantFile(storage, file, { clock, newId: sequentialIds() });
  const summaries: RequestSummary[] = [];
  const api = createApi({ storage, clock, onRequest: (summary) => summaries.push(summary) });
  const [keys = [], [otherKey = ""] = []] = loaded.map((each) => each.keys);
  for (let index = 0; index < taskCount; index++) {
    const body = JSON.stringify({ title: "Long", description });
    const headers = { "x-api-key": keys[0] ?? "", "content-type": "application/json" };
    const response = await api.fetch(
      new Request("http://crm.test/integrations/v1/tasks", { method: "POST", headers, body }),
    );
    assert.equal(response.status, 201);
  }
  summaries.length = 0;
  // After a large response, the next requests of the tenant start in later turns of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  // On a busy machine, a request can take longer than the usual timeouts.
  const timeouts = { headersTimeoutMs: timeout, requestTimeoutMs: timeout, stallTimeoutMs: timeout };
  const { server } = await serve(api.app(options), { host: "127.0.0.1", port: 0, ...timeouts });
  const open: Connection[] = [];
  t.after(async () => {
    for (const connection of open) connection.destroy();
    server.close();
    await api.close();
  });
  const connect = (): Connection => {
    const connection = new Connection();
    open.push(connection);
    server.emit("connection", connection);
    return connection;
  };
  const get = (path: string, key = ""): Promise<string> => connect().get(path, key).head();
  const getPages = async (key = "", count = pagesPerKey): Promise<readonly Connection[]> => {
    const connections = Array.from({ length: count }, () => connect());
    for (const connection of connections) assert.equal(await connection.get("/tasks?limit=200", key).head(), "200");
    return connections;
  };
  return { storage, keys, otherKey, summaries, connect, get, getPages };
}

test("a pipelined request runs after the client has read the previous response", { timeout }, async (t) => {
  const { keys, summaries, connect, get } = await start(t);
  const [key = "", secondKey = ""] = keys;
  const connection = connect().get("/tasks?limit=200", key, 3);
  assert.equal(await connection.head(), "200");
  assert.equal(await get("/me", secondKey), "200");
  const operations = () => summaries.map(({ operation }) => operation);
  assert.deepEqual(operations(), ["listTasks", "getMe"]);
  connection.startReading();
  while (summaries.length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(operations(), ["listTasks", "getMe", "listTasks", "listTasks"]);
});

const apps: readonly AppOptions[] = [{}, { corsOrigins: ["*"] }];
for (const options of apps) {
  const title = `an API key with over 32 MiB of unread responses gets 503 until its clients leave, with ${JSON.stringify(options)}`;
  test(title, { timeout }, async (t) => {
    const { keys, otherKey, get, getPages } = await start(t, options);
    const [key = "", secondKey] = keys;
    const connections = await getPages(key);
    assert.equal(await get("/tasks?limit=1", key), "503, retry after 1 s");
    assert.equal(await get("/tasks?limit=1", secondKey), "200");
    assert.equal(await get("/tasks?limit=1", otherKey), "200");
    for (const connection of connections) await once(connection.destroy(), "close");
    assert.equal(await get("/tasks?limit=1", key), "200");
  });
}

test("an API key with unread responses is served again when its clients have read them", { timeout }, async (t) => {
  const { keys, get, getPages } = await start(t);
  const [first, ...rest] = await getPages(keys[0]);
  for (const connection of rest) connection.startReading();
  while ((await get("/tasks?limit=1", keys[0])) !== "200") await new Promise((resolve) => setImmediate(resolve));
  assert.ok(first?.writable);
});

test("a tenant with over 128 MiB of unread responses gets 503, and another tenant is served", {
  timeout,
}, async (t) => {
  const { keys, otherKey, get, getPages } = await start(t);
  const connections = [];
  for (const key of keys.slice(0, 3)) connections.push(...(await getPages(key)));
  connections.push(...(await getPages(keys[3], pagesPerTenant - connections.length)));
  assert.equal(await get("/tasks?limit=1", keys[4]), "503, retry after 1 s");
  assert.equal(await get("/tasks?limit=200", otherKey), "200");
  for (const connection of connections) await once(connection.destroy(), "close");
  for (const key of keys) assert.equal(await get("/tasks?limit=1", key), "200");
});

test("requests of another tenant run between the large pages of a tenant", { timeout }, async (t) => {
  const { keys, otherKey, summaries, connect } = await start(t);
  const [one, two, three] = keys;
  // Callbacks of setImmediate run in the same turn of the event loop, as do those of sockets.
  for (const key of [one, two, three, otherKey]) setImmediate(() => connect().get("/tasks?limit=200", key ?? ""));
  while (summaries.length < 4) await new Promise((resolve) => setImmediate(resolve));
  const tenants = summaries.map(({ tenantId }) => tenantId);
  assert.notEqual(tenants[0], tenants[1]);
  assert.deepEqual(tenants, [tenants[0], tenants[1], tenants[0], tenants[0]]);
});

test("unread responses to batches count, also those of batches that were sent at the same time", {
  timeout,
}, async (t) => {
  const { storage, keys, summaries, connect, get } = await start(t);
  const tasks = await storage.list(testTenant(1).id, "task", {});
  const long = tasks.filter(({ title }) => title === "Long").slice(0, 20);
  const operations = long.map(({ id }) => ({ op: "update", id, data: { priority: "high" } }));
  for (let index = 0; index < 12; index++) connect().post("/tasks/batch", keys[0] ?? "", { operations });
  while (summaries.length < 12) await new Promise((resolve) => setImmediate(resolve));
  const statuses = summaries.map(({ status }) => status);
  // Nine responses exceed 32 MiB. One more batch may run when the ninth does.
  const succeeded = statuses.filter((status) => status === 200).length;
  assert.ok(succeeded === 9 || succeeded === 10, `${succeeded} batches succeeded`);
  assert.deepEqual(new Set(statuses.filter((status) => status !== 200)), new Set([503]));
  assert.equal(await get("/tasks?limit=1", keys[0]), "503, retry after 1 s");
  assert.equal(await get("/tasks?limit=1", keys[1]), "200");
});

test("of many requests for a large page at the same time, only a few read it", { timeout }, async (t) => {
  let [running, most, reads] = [0, 0, 0];
  // Reads take several turns of the event loop, as from a database server.
  const wrap = (storage: Storage): Storage =>
    wrapStorage(storage, {
      async listJson(tenant, kind, query) {
        reads++;
        most = Math.max(most, ++running);
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        running--;
        return storage.listJson(tenant, kind, query);
      },
    });
  const { keys, otherKey, summaries, connect, get } = await start(t, {}, wrap);
  for (let index = 0; index < 200; index++) connect().get("/tasks?limit=200", keys[0] ?? "");
  assert.equal(await get("/tasks?limit=1", otherKey), "200");
  while (summaries.length < 201) await new Promise((resolve) => setImmediate(resolve));
  // Nine pages exceed 32 MiB. Three more may run when the ninth does.
  assert.ok(reads <= 13, `${reads} reads`);
  // Four of the tenant, and one of the other tenant.
  assert.ok(most <= 5, `${most} reads at a time`);
});
