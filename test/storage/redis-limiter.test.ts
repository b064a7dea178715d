import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Redis } from "ioredis";
import { type RedisClient, redisRateLimiter } from "../../lib/auth/redis-rate-limiter.ts";
import { memoryRateLimiter } from "../../lib/index.ts";
import { TestClock, testCrm } from "../support/harness.ts";
import { redisProgram, startRedis } from "../support/redis-server.ts";
import { testTenant } from "../support/tenants.ts";

const windowMs = 60_000;
const skip = redisProgram === undefined ? "Redis is not installed here (Debian: apt-get install redis-server)" : false;
const server = skip === false ? await startRedis() : undefined;
after(() => server?.stop());

function connect(): Redis {
  const client = new Redis({ path: server?.socket ?? "", maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on("error", () => {});
  after(() => client.disconnect());
  return client;
}

/** Milliseconds. Long, because the machine of the tests can be slow. */
const patienceMs = 30_000;

function limited(client: RedisClient, limit: number, errors: unknown[] = [], window = windowMs, patience = patienceMs) {
  const fallback = memoryRateLimiter({ limit, windowMs: window, clock: new TestClock() });
  const onFallback = (error: unknown) => errors.push(error);
  return redisRateLimiter({ client, limit, windowMs: window, fallback, timeoutMs: patience, onFallback });
}

test("two servers that share Redis accept 300 of 400 concurrent requests and count down the remaining ones", {
  skip,
}, async () => {
  const errors: unknown[] = [];
  const servers = [connect(), connect()].map((client) => limited(client, 300, errors));
  const states = await Promise.all(Array.from({ length: 400 }, (_, index) => servers[index % 2]?.take("one")));
  assert.deepEqual(errors, []);
  const accepted = states.filter((state) => state?.accepted);
  assert.deepEqual(
    accepted.map((state) => state?.remaining).toSorted((a = 0, b = 0) => b - a),
    Array.from({ length: 300 }, (_, index) => 299 - index),
  );
  for (const state of states) {
    assert.ok(state !== undefined && state.resetMs > 0 && state.resetMs <= windowMs);
    assert.equal(state.accepted ? state.retryMs === 0 : state.retryMs > 0 && state.retryMs <= windowMs, true);
  }
});

test("a token returns one window after it was taken, and each key has its own limit", {
  skip,
  timeout: 30_000,
}, async () => {
  const limiter = limited(connect(), 2, [], 200);
  const taken = [await limiter.take("a"), await limiter.take("a"), await limiter.take("a"), await limiter.take("b")];
  assert.deepEqual(
    taken.map(({ accepted }) => accepted),
    [true, true, false, true],
  );
  // The limiter uses the clock of Redis. A rejected request takes no token.
  while (!(await limiter.take("a")).accepted);
});

test("two servers that share Redis share one rate limit per API key", { skip }, async () => {
  const one = testTenant(1);
  const crms = await Promise.all(
    [connect(), connect()].map((client) => testCrm([one], { rateLimiter: limited(client, 3) })),
  );
  // Both servers generate the same ID for the key, and the limit counts by ID.
  const responses = [];
  for (let index = 0; index < 5; index++) responses.push(await crms[index % 2]?.send("GET", "/me", { key: one.key }));
  assert.deepEqual(
    responses.map((response) => [response?.status, response?.headers.get("x-ratelimit-remaining")]),
    [
      [200, "2"],
      [200, "1"],
      [200, "0"],
      [429, "0"],
      [429, "0"],
    ],
  );
  for (const { api } of crms) await api.close();
});

test("the limiter falls back to memory without a long wait if Redis is down, silent or returns nonsense", async () => {
  const silent: RedisClient = { eval: () => new Promise(() => {}) };
  const broken: RedisClient = { eval: () => Promise.reject(new Error("ECONNREFUSED")) };
  const nonsense: RedisClient = { eval: async () => "OK" };
  for (const client of [silent, broken, nonsense]) {
    const errors: unknown[] = [];
    const limiter = limited(client, 2, errors, windowMs, 250);
    const states = [await limiter.take("k"), await limiter.take("k"), await limiter.take("k")];
    assert.deepEqual(
      states.map(({ accepted, remaining }) => [accepted, remaining]),
      [
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    );
    assert.equal(errors.length, 3);
  }
});
