import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, type TestContext, test } from "node:test";
import { serve, toNodeListener } from "../../../lib/http/index.ts";
import { describedFetch } from "../../support/described.ts";
import { withHeldUsers } from "../../support/gated-storage.ts";
import { testCrm } from "../../support/harness.ts";
import { open } from "../../support/raw-http.ts";
import { dataOf, type ShownTask } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const base = "/integrations/v1";
const hourMs = 3_600_000;

/** A POST that creates a task. */
function request(task: Readonly<Record<string, string>>, ...head: string[]): string {
  const body = JSON.stringify(task);
  const lines = [`POST ${base}/tasks HTTP/1.1`, "Host: a", `x-api-key: ${key}`, "Content-Type: application/json"];
  return `${[...lines, `Content-Length: ${body.length}`, ...head].join("\r\n")}\r\n\r\n${body}`;
}

const getMe = `GET ${base}/me HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`;
const task = { title: "Call" };
/** A task with an owner, so that the API reads the storage before the commit. */
const assigned = { ...task, assignedTo: one.member };

/** A server on which each assigned task waits for `release`. It stops at the end of the test. */
async function slowServer(t: TestContext, drainMs = hourMs) {
  const { storage, arrived, release } = withHeldUsers(await freshStorage());
  const crm = await testCrm([one], { storage });
  const running = await serve(crm.api, { host: "127.0.0.1", port: 0, drainMs });
  t.after(() => end(running.server));
  return { ...crm, running, arrived, release };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function connectError(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

test("close() completes running requests and accepts no new connections", {
  timeout: 30_000,
}, async (t) => {
  const { running, arrived, release, api, send } = await slowServer(t);
  const { closed } = open(running.url, request(assigned, "Connection: close"));
  await arrived;
  const drained = running.close();
  while ((await connectError(running.url)) !== "ECONNREFUSED");
  release();
  const [response] = await closed;
  assert.equal(response?.status, 201, response?.body);
  await drained;
  assert.equal(dataOf<ShownTask[]>(await send("GET", "/tasks", { key })).length, 2);
  await api.close();
});

test("a keep-alive connection is closed after its response when the server closes", {
  timeout: 30_000,
}, async (t) => {
  const { running, arrived, release, api } = await slowServer(t);
  const { closed } = open(running.url, request(assigned));
  await arrived;
  const drained = running.close();
  release();
  assert.equal((await closed)[0]?.status, 201);
  await drained;
  await api.close();
});

test("a request whose headers arrive during close() returns 503 and has no effect", {
  timeout: 30_000,
}, async (t) => {
  const { running, arrived, release, api, send } = await slowServer(t);
  const late = request({ title: "Late" }, "X-Request-Id: late");
  const { socket, closed: rejected } = open(running.url, late.slice(0, 30));
  const { closed: assignedRequest } = open(running.url, request(assigned));
  await arrived;
  const drained = running.close();
  socket.write(late.slice(30));
  const [response] = await rejected;
  const { "retry-after": retryAfter, connection, "x-request-id": requestId } = response?.headers ?? {};
  assert.deepEqual([response?.status, retryAfter, connection, requestId], [503, "1", "close", "late"]);
  release();
  assert.equal((await assignedRequest)[0]?.status, 201);
  await drained;
  assert.equal(dataOf<ShownTask[]>(await send("GET", "/tasks", { key })).length, 2);
  await api.close();
});

test("close() doesn't wait for idle connections", { timeout: 30_000 }, async (t) => {
  const { running, api } = await slowServer(t);
  const { socket, closed } = open(running.url, request(task));
  await new Promise((resolve) => socket.once("data", resolve));
  await running.close();
  assert.deepEqual(
    (await closed).map(({ status }) => status),
    [201],
  );
  await api.close();
});

test("close() aborts requests that are still running after drainMs", { timeout: 30_000 }, async (t) => {
  const { running, arrived, release, api } = await slowServer(t, 1);
  const { closed } = open(running.url, request(assigned));
  await arrived;
  await running.close();
  assert.deepEqual(await closed, []);
  release();
  await api.close();
});

test("api.close() waits for running requests and rejects new ones", async (t) => {
  const { api, arrived, release, send, running } = await slowServer(t);
  const response = send("POST", "/tasks", { key, body: assigned });
  await arrived;
  const closed = api.close();
  assert.equal((await send("GET", "/me", { key })).status, 503);
  release();
  assert.equal((await response).status, 201);
  await closed;
  assert.equal((await send("GET", "/me", { key })).status, 503);
  await running.close();
});

test("api.close() waits for running operations and rejects new ones", async (t) => {
  const { api, arrived, release, running } = await slowServer(t);
  const caller = { tenantId: one.id, scopes: ["tasks:read", "tasks:write"] };
  const response = api.operations.createTask?.({ caller, body: assigned });
  await arrived;
  const closed = api.close();
  await assert.rejects(async () => api.operations.listTasks?.({ caller }), { name: "ApiError", status: 503 });
  release();
  assert.equal((await response)?.status, 201);
  await closed;
  await running.close();
});

test("serve() rejects if the port is in use", async (t) => {
  const { running, api } = await slowServer(t);
  const port = Number(new URL(running.url).port);
  await assert.rejects(serve(api, { host: "127.0.0.1", port }), { code: "EADDRINUSE" });
  await running.close();
  await api.close();
});

const { api, clock } = await testCrm([one]);
after(() => api.close());

/**
 * Serves the listener under a path as Express does: removes the path from `url`, and sets `originalUrl` to the whole
 * target.
 */
async function serveUnder(t: TestContext, path: string) {
  const listener = toNodeListener(api);
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    const target = incoming.url ?? "";
    incoming.url = target.slice(path.length) || "/";
    listener(Object.assign(incoming, { originalUrl: target }), outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => end(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

for (const path of ["/crm", "/integrations", base, `${base}/tasks`]) {
  test(`a listener mounted at ${path} finds its routes, and Location leads to the record`, async (t) => {
    clock.advance(60_000);
    const { url } = await serveUnder(t, path);
    const prefix = path === "/crm" ? path : "";
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const created = await describedFetch(`${url}${prefix}${base}/tasks`, {
      method: "POST",
      headers,
      body: JSON.stringify(task),
    });
    assert.equal(created.status, 201);
    const location = created.headers.get("location") ?? "";
    assert.match(location, /^tasks\/[0-9a-f-]{36}$/);
    const read = await describedFetch(new URL(location, created.url), { headers });
    assert.deepEqual(await read.json(), await created.json());
  });
}

test("a request that arrives on an open connection while the server closes gets 503", {
  timeout: 30_000,
}, async (t) => {
  const { running, api } = await slowServer(t);
  const { socket, closed } = open(running.url, getMe);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.write(getMe);
  await running.close();
  assert.deepEqual(
    (await closed).map(({ status, headers }) => `${status} ${headers.connection}`),
    ["200 keep-alive", "503 close"],
  );
  await api.close();
});

test("close() doesn't wait for a connection without any data", { timeout: 30_000 }, async (t) => {
  const { running, api } = await slowServer(t);
  const { socket, closed } = open(running.url, "");
  await new Promise((resolve) => socket.once("connect", resolve));
  await running.close();
  assert.deepEqual(await closed, []);
  await api.close();
});

test("close() reads what arrived before it, even if the process then stalls", { timeout: 30_000 }, async (t) => {
  const { running, api } = await slowServer(t);
  const accepted = once(running.server, "connection");
  const { socket, closed } = open(running.url, "");
  await Promise.all([accepted, once(socket, "connect")]);
  // Written to the system at once, but the server reads it after the stall.
  socket.write(getMe);
  const drained = running.close();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  assert.equal((await closed)[0]?.status, 503);
  await drained;
  await api.close();
});

test("close() accepts the connections that arrived before it", { timeout: 30_000 }, async (t) => {
  const { running, api } = await slowServer(t);
  const first = once(running.server, "connection");
  const connections = Array.from({ length: 50 }, () => open(running.url, getMe));
  await first;
  const drained = running.close();
  const responses = await Promise.all(connections.map(({ closed }) => closed));
  assert.deepEqual(
    responses.map(([response]) => response?.status),
    new Array(50).fill(503),
  );
  await drained;
  await api.close();
});
