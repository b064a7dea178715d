import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { figures, full, size } from "../size.ts";
import { affordable, assertServed, limitsServer, request, statusesIn, type Wire, wire } from "./server.ts";

const harness = "limits-slow";
const timeout = size(120_000, 1_200_000);
const json = "Content-Type: application/json";

/** Short, so that the test is fast, but longer than the time in which the server handles thousands of clients. */
const headersTimeoutMs = size(1_000, 8_000);
const twice = 2 * headersTimeoutMs;
const server = {
  headersTimeoutMs,
  requestTimeoutMs: twice,
  keepAliveTimeoutMs: twice,
  stallTimeoutMs: 3 * headersTimeoutMs,
};
/** Maximum time until a slow client is disconnected. */
const maxDisconnectMs = size(25_000, 80_000);

type SlowRequest = { readonly text: string; readonly repeated: string; readonly statuses: readonly number[] };

/**
 * By client: the text it sends at once, the text it repeats slowly, and the statuses it gets before it is disconnected.
 */
const slowRequests: Readonly<Record<string, (key: string) => SlowRequest>> = {
  "sends nothing": () => ({ text: "", repeated: "", statuses: [408] }),
  "sends a request line byte by byte": () => ({ text: "GET /", repeated: "x", statuses: [408] }),
  "sends headers byte by byte": () => ({
    text: `${request("GET", "/me", []).slice(0, -4)}\r\nx: `,
    repeated: "x",
    statuses: [408],
  }),
  "sends an announced body byte by byte": (key) => ({
    text: request("POST", "/tasks", [`x-api-key: ${key}`, json, "Content-Length: 1000000"]),
    repeated: " ",
    statuses: [408],
  }),
  "sends an endless body in chunks of one byte": (key) => ({
    text: request("POST", "/tasks", [`x-api-key: ${key}`, json, "Transfer-Encoding: chunked"]),
    repeated: "1\r\n \r\n",
    statuses: [408],
  }),
  "continues after a body that is too large": (key) => ({
    text: request("POST", "/tasks", [`x-api-key: ${key}`, json, "Content-Length: 2000000"], "x".repeat(1_500_000)),
    repeated: "x",
    statuses: [413],
  }),
  "sends nothing after a request": (key) => ({
    text: request("GET", "/me", [`x-api-key: ${key}`]),
    repeated: "",
    statuses: [200],
  }),
  "sends a second request byte by byte": (key) => ({
    text: `${request("GET", "/me", [`x-api-key: ${key}`])}GET /`,
    repeated: "x",
    statuses: [200, 408],
  }),
};

/** Sends the text every 200 ms until the connection is closed. */
function repeatSlowly({ socket }: Wire, text: string): void {
  if (text === "") return;
  const timer = setInterval(() => socket.writable && socket.write(text), 200);
  socket.once("close", () => clearInterval(timer));
}

test("a slow client gets 408 if possible and is disconnected, and other clients are served", {
  timeout,
}, async (t) => {
  const { url, keys, state, end } = await limitsServer(t, { server });
  const [key = "", ...others] = keys[0] ?? [];
  const each = Math.floor(affordable(t, size(160, 4_000)) / Object.keys(slowRequests).length);
  let [served, cut] = [0, 0];
  const slowly = async ([what, make]: [string, (key: string) => SlowRequest]): Promise<void> => {
    const { text, repeated, statuses } = make(key);
    const startedAt = performance.now();
    // Clients that get a response use the rate limit of their API key.
    const count = statuses.includes(200) ? Math.min(each, 100) : each;
    const wires = Array.from({ length: count }, () => wire(url, text));
    for (const each of wires) repeatSlowly(each, repeated);
    const closed = Promise.all(wires.map((each) => each.closed));
    let isDone = false;
    void closed.then(() => (isDone = true));
    while (!isDone) {
      await assertServed(url, others[served++ % others.length] ?? "");
      await pause(50);
      assert.ok(performance.now() - startedAt < maxDisconnectMs, `the client that ${what} is still connected`);
    }
    for (const received of await closed) assert.deepEqual(statusesIn(received), statuses, `a client that ${what}`);
    cut += wires.length;
  };
  // At full size, all kinds at once would need more sockets than a process may open.
  if (full) for (const kind of Object.entries(slowRequests)) await slowly(kind);
  else await Promise.all(Object.entries(slowRequests).map(slowly));
  const { connections } = await state();
  assert.ok(connections < 10, `${connections} connections are still open`);
  await end();
  figures(t, harness, {
    "slow clients": cut,
    "requests of other clients": served,
    kinds: Object.keys(slowRequests).length,
  });
});

test("a client that doesn't read its responses is disconnected", { timeout }, async (t) => {
  const { url, keys, state, end } = await limitsServer(t, { server });
  const [key = "", other = ""] = keys[0] ?? [];
  const body = JSON.stringify({ title: "Long", description: "👩".repeat(65_536) });
  const headers = { "x-api-key": key, "content-type": "application/json" };
  for (let index = 0; index < 40; index++)
    await fetch(`${url}/integrations/v1/tasks`, { method: "POST", headers, body });
  const wires = Array.from({ length: size(20, 60) }, () => {
    const each = wire(url, request("GET", "/tasks?limit=200", [`x-api-key: ${key}`]));
    each.socket.pause();
    return each;
  });
  await Promise.all(wires.map(({ opened }) => opened));
  const startedAt = performance.now();
  for (let connections = wires.length; connections > 2; connections = (await state()).connections) {
    assert.ok(
      performance.now() - startedAt < maxDisconnectMs,
      `${connections} clients that don't read are still connected`,
    );
    await pause(100);
  }
  await assertServed(url, other);
  for (const { socket } of wires) socket.destroy();
  await end();
});
