import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { testCrm } from "../../support/harness.ts";
import { open } from "../../support/raw-http.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const timeout = 30_000;
const get = `GET /integrations/v1/me HTTP/1.1\r\nHost: a\r\nx-api-key: ${one.key}\r\n\r\n`;

async function served(t: TestContext) {
  const { api } = await testCrm([one]);
  const running = await serve(api, { host: "127.0.0.1", port: 0, drainMs: 3_600_000 });
  t.after(() => running.server.closeAllConnections());
  return { running, api };
}

test("a request that arrives on an open connection while the server closes gets 503", { timeout }, async (t) => {
  const { running, api } = await served(t);
  const { socket, closed } = open(running.url, get);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.write(get);
  await running.close();
  assert.deepEqual(
    (await closed).map(({ status, headers }) => `${status} ${headers.connection}`),
    ["200 keep-alive", "503 close"],
  );
  await api.close();
});

test("close() doesn't wait for a connection without any data", { timeout }, async (t) => {
  const { running, api } = await served(t);
  const { socket, closed } = open(running.url, "");
  await new Promise((resolve) => socket.once("connect", resolve));
  await running.close();
  assert.deepEqual(await closed, []);
  await api.close();
});

test("close() reads what arrived before it, even if the process then stalls", { timeout }, async (t) => {
  const { running, api } = await served(t);
  const accepted = once(running.server, "connection");
  const { socket, closed } = open(running.url, "");
  await Promise.all([accepted, once(socket, "connect")]);
  // Written to the system at once, but the server reads it after the stall.
  socket.write(get);
  const drained = running.close();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  assert.equal((await closed)[0]?.status, 503);
  await drained;
  await api.close();
});

test("close() accepts the connections that arrived before it", { timeout }, async (t) => {
  const { running, api } = await served(t);
  const first = once(running.server, "connection");
  const connections = Array.from({ length: 50 }, () => open(running.url, get));
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
