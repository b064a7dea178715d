import assert from "node:assert/strict";
import { test } from "node:test";
import { figures, size } from "../size.ts";
import { affordable, assertServed, limitsServer, request, type Wire, wire } from "./server.ts";

const harness = "limits-idle";

/** Timeouts longer than the test, because these clients are idle, not slow. */
const server = { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000, keepAliveTimeoutMs: 600_000 };

test("thousands of idle connections use little memory and don't block another client", {
  timeout: size(120_000, 600_000),
}, async (t) => {
  const { url, keys, state, end } = await limitsServer(t, { server: { ...server, stallTimeoutMs: 600_000 } });
  const [key = "", ...others] = keys[0] ?? [];
  await assertServed(url, key);
  const before = await state();
  const wanted = affordable(t, size(500, 10_000));
  const wires: Wire[] = [];
  // The clients have sent nothing, half a request, or a request whose response they have.
  const texts = ["", "GET /integrations/v1/me HTTP/1.1\r\nHo", request("GET", "/nothing-here", [])];
  while (wires.length < wanted) {
    const some = Array.from({ length: Math.min(100, wanted - wires.length) }, (_, index) => {
      // One address has only some ten thousand free ports.
      return wire(url, texts[index % 3] ?? "", `127.0.${Math.floor(wires.length / 5_000)}.1`);
    });
    await Promise.all(some.map(({ opened }) => opened));
    wires.push(...some);
    await assertServed(url, others[wires.length % others.length] ?? "");
  }
  const latencies: number[] = [];
  for (let times = 0; times < 200; times++)
    latencies.push(await assertServed(url, others[times % others.length] ?? ""));
  const after = await state();
  assert.ok(after.connections >= wanted, `only ${after.connections} of ${wanted} are open`);
  const kibibytes = Math.round(((after.rssMiB - before.rssMiB) * 1024) / wanted);
  assert.ok(kibibytes < 30_000 / wanted + 40, `each connection takes ${kibibytes} KiB`);
  latencies.sort((a, b) => a - b);
  const median = Math.round(latencies[100] ?? 0);
  assert.ok(median < 1_000, `half of the other requests took ${median} ms and more`);
  for (const { socket } of wires) socket.destroy();
  await end();
  figures(t, harness, {
    "idle connections": wanted,
    "KiB each": kibibytes,
    "ms median of another request": median,
  });
});
