import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { memoryRateLimiter } from "../../../lib/index.ts";
import { figures, size } from "../size.ts";
import { assertServed, limitsServer, request, statusesIn, wire } from "./server.ts";

const harness = "limits-failures";
const timeout = size(120_000, 3_600_000);
const perMinute = 60;

/** Returns a loopback address. */
function address(number: number): string {
  return `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** Returns requests with different unknown API keys. Every second key is well-formed, so the server looks it up. */
function badKeys(count: number, number: number): string {
  const texts = Array.from({ length: count }, (_, index) => {
    const key = index % 2 === 0 ? makeApiKey("live", randomBytes) : `crm_live_${number}_${index}`;
    return request("GET", "/me", [`x-api-key: ${key}`, ...(index === count - 1 ? ["Connection: close"] : [])]);
  });
  return texts.join("");
}

test("the rate limiter remembers 20,000 callers and evicts the least recently used one", async () => {
  const limiter = memoryRateLimiter({ limit: 1, windowMs: 60_000, clock: { monotonic: () => 0 } });
  const accepted = async (key: string) => (await limiter.take(key)).accepted;
  assert.ok(await accepted("first"));
  for (let number = 1; number < 20_000; number++) assert.ok(await accepted(`${number}`));
  assert.deepEqual([await accepted("first"), await accepted("1")], [false, false]);
  assert.ok(await accepted("one more"));
  assert.deepEqual([await accepted("first"), await accepted("1"), await accepted("2")], [false, false, true]);
});

test("an address gets 401 for 60 failures a minute and then 429, and a valid API key still works there", {
  timeout,
}, async (t) => {
  const { url, keys, end } = await limitsServer(t);
  const [first, second] = await Promise.all([
    wire(url, badKeys(100, 1)).closed,
    wire(url, badKeys(100, 2), "127.0.0.9").closed,
  ]);
  for (const received of [first, second]) {
    // The server checks them concurrently, so any sixty can be the first.
    const statuses = statusesIn(received).sort((a, b) => a - b);
    assert.deepEqual(statuses, [...Array(perMinute).fill(401), ...Array(100 - perMinute).fill(429)]);
    for (const [, seconds] of received.matchAll(/^Retry-After: (.*)\r$/gim)) {
      assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60, seconds);
    }
  }
  const good = request("GET", "/me", [`x-api-key: ${keys[0]?.[0]}`, "Connection: close"]);
  for (const from of ["127.0.0.1", "127.0.0.9"])
    assert.deepEqual(statusesIn(await wire(url, good, from).closed), [200]);
  await end();
});

test("many invalid API keys from many addresses are rejected, use bounded memory, and block no other client", {
  timeout,
}, async (t) => {
  const { url, keys, state, end } = await limitsServer(t);
  const [total, each] = [size(5_000, 1_000_000), 40];
  // At full size, more addresses than the limiter remembers.
  const addresses = total / each;
  const run = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number++) {
      const statuses = statusesIn(await wire(url, badKeys(each, number), address(number)).closed);
      assert.deepEqual(statuses, Array(each).fill(401), address(number));
      if (number % 50 === 0) await assertServed(url, keys[0]?.[(number / 50) % 10] ?? "");
    }
  };
  // Fills a part of the limiter first, so that the measured growth is small.
  const warm = Math.min(addresses / 5, 1_000);
  await run(0, warm);
  const before = await state();
  const clients = 16;
  const part = (addresses - warm) / clients;
  const parts = Array.from({ length: clients }, (_, index) => [warm + index * part, warm + (index + 1) * part]);
  await Promise.all(parts.map(([from = 0, to = 0]) => run(Math.round(from), Math.round(to))));
  const after = await state();
  const grown = {
    "MiB more in use": after.usedMiB - before.usedMiB,
    "MiB more from the system": after.rssMiB - before.rssMiB,
  };
  // 20,000 addresses with 60 times each are 10 MB of numbers.
  assert.ok(grown["MiB more in use"] < 60, JSON.stringify(grown));
  assert.ok(grown["MiB more from the system"] < 200, JSON.stringify(grown));
  await end();
  figures(t, harness, { "invalid keys": total, addresses, ...grown });
});
