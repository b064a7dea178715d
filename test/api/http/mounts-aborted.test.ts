import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import type { ApiOptions } from "../../../lib/index.ts";
import { gatedStorage, withHeldUsers } from "../../support/gated-storage.ts";
import { testCrm } from "../../support/harness.ts";
import { express4, express5, onExpress, onFastify, onHonoServer, onNode } from "../../support/mount-hosts.ts";
import { base, type Mount, one } from "../../support/mounts.ts";
import { open } from "../../support/raw-http.ts";
import { freshStorage } from "../../support/storages.ts";

const mounts: Readonly<Record<string, Mount>> = {
  "the listener for node:http": onNode,
  "Express 5": onExpress(express5),
  "Express 5 behind express.json": onExpress(express5, express5.json()),
  "Express 4 behind express.json": onExpress(express4, express4.json()),
  "Fastify 5": onFastify,
  "a Hono app on Node": onHonoServer,
};
const body = JSON.stringify({ title: "Call", assignedTo: one.member });
const idempotencyKey = "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53";

/** The head of a POST that creates a task, with a body of this length. */
function head(length: number): string {
  const lines = [
    `POST ${base}/tasks HTTP/1.1`,
    "Host: a",
    `x-api-key: ${one.key}`,
    `Idempotency-Key: ${idempotencyKey}`,
  ];
  return `${[...lines, "Content-Type: application/json", `Content-Length: ${length}`].join("\r\n")}\r\n\r\n`;
}

/** The API mounted so, what it logged, and a function that sends requests to it. */
async function mountedBy(t: TestContext, mount: Mount, options: Partial<ApiOptions> = {}) {
  const logged: unknown[] = [];
  const logger = { error: (fields: unknown) => void logged.push(fields) };
  const { api } = await testCrm([one], { logger, ...options });
  const { origin, close } = await mount({ "/eu/crm": api });
  t.after(close);
  const headers = { "x-api-key": one.key, "content-type": "application/json", "idempotency-key": idempotencyKey };
  const send = async (path: string, init: RequestInit = {}) => fetch(`${origin}${base}${path}`, { headers, ...init });
  const titles = async () =>
    ((await (await send("/tasks")).json()) as { data: { title: string }[] }).data.map((each) => each.title);
  return { api, origin, logged, send, titles };
}

for (const [name, mount] of Object.entries(mounts)) {
  test(`${name}: a POST whose client disconnects during the body has no effect`, {
    timeout: 60_000,
  }, async (t) => {
    const committed: unknown[] = [];
    const onCommitted: ApiOptions["onCommitted"] = (writes) => void committed.push(...writes);
    const { api, origin, logged, titles } = await mountedBy(t, mount, { onCommitted });
    // The last of them is JSON all the same.
    for (const sent of ["", body.slice(0, 20), body]) {
      const { socket, closed } = open(origin, head(body.length + 10) + sent);
      // The server has responded to another request since, so it had time to start this one.
      assert.deepEqual(await titles(), ["Call Carla"]);
      socket.destroy();
      await closed;
    }
    assert.deepEqual(await titles(), ["Call Carla"]);
    await api.close();
    assert.deepEqual([logged, committed], [[], []]);
  });

  test(`${name}: a POST whose client disconnects before its body is read has no effect`, {
    timeout: 10_000,
  }, async (t) => {
    const { storage, arrived, shut, open: openGate } = gatedStorage(await freshStorage());
    const { api, origin, logged, titles } = await mountedBy(t, mount, { storage });
    shut();
    const { socket, closed } = open(origin, head(body.length) + body.slice(0, 20));
    // A parser of the host waits for the body before the API is called.
    if (!name.includes("behind")) await arrived;
    socket.destroy();
    await closed;
    openGate();
    assert.deepEqual(await titles(), ["Call Carla"]);
    // Waits for the requests that run.
    await api.close();
    assert.deepEqual(logged, []);
  });

  test(`${name}: a POST whose client disconnects while it runs is committed, and its retry is a replay`, {
    timeout: 60_000,
  }, async (t) => {
    const { storage, arrived, release } = withHeldUsers(await freshStorage());
    const committed = Promise.withResolvers<void>();
    const options = { storage, onCommitted: () => committed.resolve() };
    const { api, origin, logged, send, titles } = await mountedBy(t, mount, options);
    const { socket, closed } = open(origin, head(body.length) + body);
    await arrived;
    socket.destroy();
    await closed;
    release();
    await committed.promise;
    const again = await send("/tasks", { method: "POST", body });
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
    assert.deepEqual(await titles(), ["Call Carla", "Call"]);
    await api.close();
    assert.deepEqual(logged, []);
  });

  // A parser of the host's responses once it has seen the end.
  if (name.includes("behind")) continue;
  test(`${name}: a body over 1 MiB returns 413 before it ends, and the connection serves the next request`, {
    timeout: 60_000,
  }, async (t) => {
    const { api, origin } = await mountedBy(t, mount);
    const chunked = head(0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    const { socket, closed } = open(origin, `${chunked}110000\r\n${"x".repeat(0x110000)}\r\n`);
    t.after(() => socket.destroy());
    await once(socket, "data");
    const next = [`GET ${base}/me HTTP/1.1`, "Host: a", `x-api-key: ${one.key}`, "Connection: close"];
    const rest = `110000\r\n${"x".repeat(0x110000)}\r\n`.repeat(3);
    socket.write(`${rest}0\r\n\r\n${next.join("\r\n")}\r\n\r\n`);
    const responses = await closed;
    assert.deepEqual(
      responses.map(({ status }) => status),
      [413, 200],
    );
    await api.close();
  });
}
