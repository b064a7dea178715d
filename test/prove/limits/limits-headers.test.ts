import assert from "node:assert/strict";
import { test } from "node:test";
import { figures, size } from "../size.ts";
import { affordable, assertServed, limitsServer, request, statusesIn, wire } from "./server.ts";

const harness = "limits-headers";
const timeout = size(120_000, 600_000);
const limit = 16 * 1024;

/** Returns a request for /me with a head of `length` bytes: one long header, or many short ones. */
function head(key: string, length: number, many: boolean): string {
  const rest = length - request("GET", "/me", [`x-api-key: ${key}`, "Connection: close"]).length;
  const filler = many ? Array.from({ length: Math.floor(rest / 6) }, () => "x: y") : [`x: ${"y".repeat(rest - 5)}`];
  return request("GET", "/me", [`x-api-key: ${key}`, "Connection: close", ...filler]);
}

test("headers of almost 16 KiB are accepted, and longer headers get 431", {
  timeout,
}, async (t) => {
  const { url, keys, end } = await limitsServer(t);
  const [key = ""] = keys[0] ?? [];
  const statusesFor = async (length: number, many: boolean) =>
    statusesIn(await wire(url, head(key, length, many)).closed);
  assert.deepEqual(await statusesFor(limit - 512, false), [200]);
  // Node also limits the number of headers to 1,000.
  assert.deepEqual([await statusesFor(limit / 3, true), await statusesFor(limit / 2, true)], [[200], [431]]);
  for (const many of [false, true]) {
    for (const length of [limit + 512, 2 * limit, 64 * limit])
      assert.deepEqual(await statusesFor(length, many), [431], `${length}`);
  }
  await assertServed(url, key);
  await end();
});

test("endless headers use no more memory than the header limit", { timeout }, async (t) => {
  const { url, keys, state, end } = await limitsServer(t, {
    server: { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 },
  });
  const [key = ""] = keys[0] ?? [];
  await assertServed(url, key);
  const before = await state();
  const count = affordable(t, size(300, 8_000));
  const endless = head(key, limit - 512, false).slice(0, -4);
  const wires = Array.from({ length: count }, (_, index) => wire(url, endless, `127.0.${Math.floor(index / 5_000)}.1`));
  await Promise.all(wires.map(({ opened }) => opened));
  while ((await state()).connections < count) await new Promise(setImmediate);
  const after = await state();
  const kibibytes = Math.round(((after.rssMiB - before.rssMiB) * 1024) / count);
  assert.ok(kibibytes < 40_000 / count + 60, `each takes ${kibibytes} KiB`);
  await assertServed(url, keys[0]?.[1] ?? "");
  for (const { socket } of wires) socket.destroy();
  await end();
  figures(t, harness, { "endless heads": count, "KiB each": kibibytes });
});
