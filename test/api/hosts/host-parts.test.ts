import assert from "node:assert/strict";
import { test } from "node:test";
import type { RateLimiter, RateLimitResult } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;

test("createApi serves the records of the host's storage and writes to it", async (t) => {
  const storage = memoryStorage();
  const { send, api } = await testCrm([one], { storage });
  t.after(() => api.close());
  const { id } = dataOf(await send("POST", "/tasks", { key, body: { title: "Call" } }), 201);
  assert.equal((await storage.get(one.id, "task", id))?.title, "Call");
  assert.equal(dataOf(await send("GET", `/tasks/${one.task}`, { key })).title, "Call Carla");
});

test("a custom rate limiter counts by tenant and API key, and its result is sent to the client", async (t) => {
  const keys: string[] = [];
  const states: RateLimitResult[] = [
    { accepted: true, limit: 7, remaining: 6, resetMs: 1_500, retryMs: 0 },
    { accepted: false, limit: 7, remaining: 0, resetMs: 9_000, retryMs: 2_001 },
  ];
  const rateLimiter: RateLimiter = {
    async take(key) {
      keys.push(key);
      return states.shift() ?? assert.fail("the shared counter is unavailable");
    },
  };
  const logged: unknown[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push((err as Error).message) };
  const { send, api, clock } = await testCrm([one], { rateLimiter, logger });
  t.after(() => api.close());
  const responses = [];
  for (let i = 0; i < 3; i++) responses.push(await send("GET", "/me", { key }));
  const [me, rejected, failed] = responses;
  assert.deepEqual(responses.map(verdict), ["200", "429 rate_limited", "500 internal_error"]);
  const { keyId } = dataOf<{ keyId: string }>(me ?? assert.fail());
  assert.deepEqual(
    keys,
    [1, 2, 3].map(() => `${one.id}:${keyId}`),
  );
  const headerNames = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
  const seconds = (ms: number) => String(Math.ceil((clock.now() + ms) / 1000));
  assert.deepEqual(
    responses.map(({ headers }) => headerNames.map((name) => headers.get(name))),
    [
      ["7", "6", seconds(1_500), null],
      ["7", "0", seconds(9_000), "3"],
      [null, null, null, null],
    ],
  );
  assert.equal(rejected?.headers.get("x-ratelimit-remaining"), "0");
  assert.deepEqual([failed?.status, logged], [500, ["the shared counter is unavailable"]]);
});

test("createApi uses the ids and clock of the host", async (t) => {
  let count = 0;
  const ids = () => `0195ffff-0000-7000-8000-${String(++count).padStart(12, "0")}`;
  const { send, api, clock } = await testCrm([one], { ids });
  t.after(() => api.close());
  clock.set(Date.parse("2031-05-06T07:08:09.010Z"));
  const before = count;
  const created = await send("POST", "/tasks", { key, body: { title: "Call" } });
  const { id } = dataOf(created, 201);
  const mine = [before + 1, before + 2].map((number) => `0195ffff-0000-7000-8000-${String(number).padStart(12, "0")}`);
  assert.deepEqual([created.headers.get("x-request-id"), id].toSorted(), mine);
  const { serverTime } = dataOf<{ serverTime: string }>(await send("GET", "/me", { key }));
  assert.equal(serverTime, "2031-05-06T07:08:09.010Z");
});
