import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, type TestContext, test } from "node:test";
import { serve, toNodeListener } from "../lib/http/index.ts";
import { dataOf, type ShownTask } from "./answers.ts";
import { describedFetch } from "./described.ts";
import { testCrm } from "./harness.ts";
import { open } from "./raw-http.ts";
import { storageWith } from "./storage-with.ts";
import { freshStorage } from "./storages.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const { key } = one;
const base = "/integrations/v1";
const hourMs = 3_600_000;

/** A POST that makes a task. */
function request(task: Readonly<Record<string, string>>, ...head: string[]): string {
  const body = JSON.stringify(task);
  const lines = [`POST ${base}/tasks HTTP/1.1`, "Host: a", `x-api-key: ${key}`, "Content-Type: application/json"];
  return `${[...lines, `Content-Length: ${body.length}`, ...head].join("\r\n")}\r\n\r\n${body}`;
}

const task = { title: "Call" };
/** A task for somebody: whether he is there is asked of the storage. */
const assigned = { ...task, assignedTo: one.member };

/** A server in whose storage every new task waits until it is let through; it does not outlive the test. */
async function slowServer(t: TestContext, drainMs = hourMs) {
  const storage = await freshStorage();
  const arrived = Promise.withResolvers<void>();
  const letThrough = Promise.withResolvers<void>();
  const get: typeof storage.get = async (tenant, kind, id) => {
    if (kind === "user") {
      arrived.resolve();
      await letThrough.promise;
    }
    return storage.get(tenant, kind, id);
  };
  const crm = await testCrm([one], { storage: storageWith(storage, { get }) });
  const running = await serve(crm.api, { host: "127.0.0.1", port: 0, drainMs });
  t.after(() => end(running.server));
  return { ...crm, running, arrived: arrived.promise, letThrough: letThrough.resolve };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function refusedAt(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

test("a request begun before close is answered, its effect is kept, and nobody new is let in", {
  timeout: 5_000,
}, async (t) => {
  const { running, arrived, letThrough, api, send } = await slowServer(t);
  const { closed } = open(running.url, request(assigned, "Connection: close"));
  await arrived;
  const drained = running.close();
  while ((await refusedAt(running.url)) !== "ECONNREFUSED");
  letThrough();
  const [answer] = await closed;
  assert.equal(answer?.status, 201, answer?.body);
  await drained;
  assert.equal(dataOf<ShownTask[]>(await send("GET", "/tasks", { key })).length, 2);
  await api.close();
});

test("a connection that would stay open is closed with its answer once the server closes", {
  timeout: 5_000,
}, async (t) => {
  const { running, arrived, letThrough, api } = await slowServer(t);
  const { closed } = open(running.url, request(assigned));
  await arrived;
  const drained = running.close();
  letThrough();
  assert.equal((await closed)[0]?.status, 201);
  await drained;
  await api.close();
});

test("a request whose headers come in once the server closes gets 503 and does nothing", {
  timeout: 5_000,
}, async (t) => {
  const { running, arrived, letThrough, api, send } = await slowServer(t);
  const late = request({ title: "Late" }, "X-Request-Id: late");
  const { socket, closed: refused } = open(running.url, late.slice(0, 30));
  const { closed: begun } = open(running.url, request(assigned));
  await arrived;
  const drained = running.close();
  socket.write(late.slice(30));
  const [answer] = await refused;
  const { "retry-after": retryAfter, connection, "x-request-id": requestId } = answer?.headers ?? {};
  assert.deepEqual([answer?.status, retryAfter, connection, requestId], [503, "1", "close", "late"]);
  letThrough();
  assert.equal((await begun)[0]?.status, 201);
  await drained;
  assert.equal(dataOf<ShownTask[]>(await send("GET", "/tasks", { key })).length, 2);
  await api.close();
});

test("an idle connection does not hold up the close", { timeout: 5_000 }, async (t) => {
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

test("what is not answered in the time given is cut off", { timeout: 5_000 }, async (t) => {
  const { running, arrived, letThrough, api } = await slowServer(t, 1);
  const { closed } = open(running.url, request(assigned));
  await arrived;
  await running.close();
  assert.deepEqual(await closed, []);
  letThrough();
  await api.close();
});

test("closing the api waits for requests begun in the process and refuses new ones", async (t) => {
  const { api, arrived, letThrough, send, running } = await slowServer(t);
  const answer = send("POST", "/tasks", { key, body: assigned });
  await arrived;
  const closed = api.close();
  assert.equal((await send("GET", "/me", { key })).status, 503);
  letThrough();
  assert.equal((await answer).status, 201);
  await closed;
  assert.equal((await send("GET", "/me", { key })).status, 503);
  await running.close();
});

test("closing the api waits for operations begun and refuses new ones", async (t) => {
  const { api, arrived, letThrough, running } = await slowServer(t);
  const caller = { tenantId: one.id, scopes: ["tasks:read", "tasks:write"] };
  const answer = api.operations.createTask?.({ caller, body: assigned });
  await arrived;
  const closed = api.close();
  await assert.rejects(async () => api.operations.listTasks?.({ caller }), { name: "ApiError", status: 503 });
  letThrough();
  assert.equal((await answer)?.status, 201);
  await closed;
  await running.close();
});

test("a port that is taken is an error of serve", async (t) => {
  const { running, api } = await slowServer(t);
  const port = Number(new URL(running.url).port);
  await assert.rejects(serve(api, { host: "127.0.0.1", port }), { code: "EADDRINUSE" });
  await running.close();
  await api.close();
});

const { api, clock } = await testCrm([one]);
after(() => api.close());

/** Serves the listener as Express does under a path: that path is cut off `url`, `originalUrl` keeps the whole. */
async function mounted(t: TestContext, path: string) {
  const listener = toNodeListener(api);
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    const whole = incoming.url ?? "";
    incoming.url = whole.slice(path.length) || "/";
    listener(Object.assign(incoming, { originalUrl: whole }), outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => end(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

for (const path of ["/crm", "/integrations", base, `${base}/tasks`]) {
  test(`mounted at ${path}, the listener finds its paths and tells whole ones`, async (t) => {
    clock.advance(60_000);
    const { url } = await mounted(t, path);
    const prefix = path === "/crm" ? path : "";
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const made = await describedFetch(`${url}${prefix}${base}/tasks`, {
      method: "POST",
      headers,
      body: JSON.stringify(task),
    });
    assert.equal(made.status, 201);
    const location = made.headers.get("location") ?? "";
    assert.match(location, /^tasks\/[0-9a-f-]{36}$/);
    const read = await describedFetch(new URL(location, made.url), { headers });
    assert.deepEqual(await read.json(), await made.json());
  });
}
