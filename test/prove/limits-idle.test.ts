import assert from "node:assert/strict";
import { test } from "node:test";
import { affordable, assertServed, limitsServer, request, type Wire, wire } from "./limits-server.ts";
import { figures, size } from "./size.ts";

const harness = "limits-idle";

/** Longer than the trial: these clients are not slow, they are just there. */
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
  // What they have sent: nothing, half a request, or a whole one, to which they have the answer.
  const texts = ["", "GET /integrations/v1/me HTTP/1.1\r\nHo", request("GET", "/nothing-here", [])];
  while (wires.length < wanted) {
    const some = Array.from({ length: Math.min(100, wanted - wires.length) }, (_, index) => {
      // No more than some ten thousand of one address's ports are free.
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
  assert.ok(median < 1_000, `half of the requests beside them took ${median} ms and more`);
  for (const { socket } of wires) socket.destroy();
  await end();
  figures(t, harness, {
    "idle connections": wanted,
    "KiB each": kibibytes,
    "ms is the median of a request beside": median,
  });
});
