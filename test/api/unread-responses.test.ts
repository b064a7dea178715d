import assert from "node:assert/strict";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { serve } from "../../lib/http/index.ts";
import { type AppOptions, createApi, crmApp, type RequestSummary } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { crowd } from "../prove/place-crowd.ts";
import { sequentialIds, TestClock } from "../support/harness.ts";

const timeout = 30_000;
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

/** Starts a server with two tenants. The first has ten API keys and more than a page of tasks, the second one API key. */
async function start(t: TestContext, options: AppOptions = {}) {
  const clock = new TestClock();
  const storage = sqliteStorage({ file: ":memory:" });
  const crowds = [crowd(10, 1), crowd(1, 2)];
  for (const { file } of crowds) await loadTenantFile(storage, file, { clock, newId: sequentialIds() });
  const summaries: RequestSummary[] = [];
  const api = createApi({ storage, clock, onRequest: (summary) => summaries.push(summary) });
  const [keys = [], [otherKey = ""] = []] = crowds.map((each) => each.keys);
  for (let index = 0; index < taskCount; index++) {
    const body = JSON.stringify({ title: "Long", description });
    const headers = { "x-api-key": keys[0] ?? "", "content-type": "application/json" };
    const response = await api.fetch(
      new Request("http://crm.test/integrations/v1/tasks", { method: "POST", headers, body }),
    );
    assert.equal(response.status, 201);
  }
  summaries.length = 0;
  const { server } = await serve(crmApp(api, options), { host: "127.0.0.1", port: 0 });
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
  return { keys, otherKey, summaries, connect, get, getPages };
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
