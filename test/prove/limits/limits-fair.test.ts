import assert from "node:assert/strict";
import { test } from "node:test";
import { figures, size } from "../size.ts";
import { base, limitsServer, request, statusesIn, wire } from "./server.ts";

const harness = "limits-fair";
const timeout = size(120_000, 1_200_000);
const json = "content-type: application/json";

/**
 * Sends these requests on several connections until the returned function is called. It returns the count of each
 * status.
 */
function flood(url: string, texts: readonly string[], connections: number) {
  let isStopped = false;
  const seen = new Map<number, number>();
  const one = async (index: number): Promise<void> => {
    while (!isStopped) {
      const text = texts[index % texts.length] ?? "";
      const received = await wire(url, text.repeat(20) + text.replace("Host: a", "Host: a\r\nConnection: close"))
        .closed;
      for (const status of statusesIn(received)) seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  };
  const all = Array.from({ length: connections }, (_, index) => one(index));
  return async () => {
    isStopped = true;
    await Promise.all(all);
    return seen;
  };
}

test("a tenant that floods the server with requests neither blocks nor delays another tenant", {
  timeout,
}, async (t) => {
  const { url, keys, state, end } = await limitsServer(t, {}, 2);
  const [noisy = [], quiet = []] = keys;
  const body = JSON.stringify({ title: "Flood", description: "x".repeat(2_000) });
  const texts = noisy.flatMap((key) => [
    request("POST", "/tasks", [`x-api-key: ${key}`, json, `Content-Length: ${body.length}`], body),
    request("GET", "/tasks?limit=200", [`x-api-key: ${key}`]),
    request("GET", "/accounts?limit=0&nonsense=1", [`x-api-key: ${key}`]),
  ]);
  const stop = flood(url, texts, size(40, 200));
  const latencies: number[] = [];
  for (let times = 0; times < size(200, 2_500); times++) {
    const startedAt = performance.now();
    const headers = { "x-api-key": quiet[times % quiet.length] ?? "", "content-type": "application/json" };
    const init =
      times % 2 === 0 ? { headers } : { method: "POST", headers, body: JSON.stringify({ title: `${times}` }) };
    const response = await fetch(`${url}${base}/tasks`, { ...init, signal: AbortSignal.timeout(30_000) });
    assert.equal(response.status, times % 2 === 0 ? 200 : 201, await response.text());
    latencies.push(performance.now() - startedAt);
  }
  const seen = await stop();
  // The flood takes turns with the other tenant, so it doesn't always reach its rate limit.
  const cheap = request("GET", "/me", [`x-api-key: ${noisy[0]}`]);
  const more = await wire(url, cheap.repeat(300) + cheap.replace("Host: a", "Host: a\r\nConnection: close")).closed;
  for (const status of statusesIn(more)) seen.set(status, (seen.get(status) ?? 0) + 1);
  assert.deepEqual(new Set(seen.keys()), new Set([200, 201, 400, 429]));
  const accepted = [200, 201, 400].reduce((sum, status) => sum + (seen.get(status) ?? 0), 0);
  latencies.sort((a, b) => a - b);
  const [median = 0, slowest = 0] = [latencies[latencies.length >> 1], latencies.at(-1)];
  const flooded = [...seen.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(median < 2_000, `half of the other tenant's requests took ${median} ms and more`);
  await state();
  await end();
  figures(t, harness, {
    "requests of the flood": flooded,
    "of them accepted": accepted,
    "requests of the other tenant": latencies.length,
    "ms median": Math.round(median),
    "ms maximum": Math.round(slowest),
  });
});

test("clients that withhold their bodies don't use the concurrency limit of other clients", {
  timeout,
}, async (t) => {
  const { url, keys, end } = await limitsServer(t, { maxInFlight: 5 }, 2);
  const [noisy = [], quiet = []] = keys;
  const held = Array.from({ length: size(200, 4_000) }, (_, index) => {
    const head = [`x-api-key: ${noisy[index % noisy.length]}`, json, "Content-Length: 100"];
    return wire(url, request("POST", "/tasks", head, '{"title":'));
  });
  await Promise.all(held.map(({ opened }) => opened));
  for (let times = 0; times < 200; times++) {
    const headers = { "x-api-key": quiet[times % quiet.length] ?? "" };
    const response = await fetch(`${url}${base}/tasks`, { headers, signal: AbortSignal.timeout(30_000) });
    assert.equal(response.status, 200, await response.text());
  }
  for (const { socket } of held) socket.destroy();
  await end();
});
