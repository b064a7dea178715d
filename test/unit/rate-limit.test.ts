import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { memoryRateLimiter } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { type Result, sequentialIds, type TestCrm, testCrm } from "../support/harness.ts";
import { errorOf, verdict } from "../support/responses.ts";
import { seed } from "../support/seed.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const minuteMs = 60_000;

function send(crm: TestCrm, sent: { key: string; path?: string } = { key }): Promise<Result> {
  return crm.send("GET", sent.path ?? "/me", { key: sent.key });
}

async function spend(crm: TestCrm, times: number): Promise<void> {
  for (let i = 0; i < times; i++) assert.equal((await send(crm)).status, 200, `request ${i + 1}`);
}

/** Returns the status, the rate limit headers and Retry-After. */
function rateOf({ status, headers }: Result): (string | number | null)[] {
  const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
  return [status, ...names.map((name) => headers.get(name))];
}

test("the 301st request is rejected, and accepted after the returned wait", async () => {
  const crm = await testCrm([one]);
  await spend(crm, 300);
  const rejected = await send(crm);
  assert.equal(verdict(rejected), "429 rate_limited");
  const message = "Rate limit exceeded (300 requests per minute). Retry after 60 s.";
  assert.deepEqual(errorOf(rejected), { code: "rate_limited", message });
  const seconds = Number(rejected.headers.get("retry-after"));
  crm.clock.advance(seconds * 1000 - 1);
  assert.equal((await send(crm)).status, 429);
  crm.clock.advance(1);
  assert.equal((await send(crm)).status, 200);
  await crm.api.close();
});

test("each token returns a minute after it was taken, and the headers show it", async () => {
  const crm = await testCrm([one]);
  const start = crm.clock.now() / 1000;
  assert.deepEqual(rateOf(await send(crm)), [200, "300", "299", `${start + 60}`, null]);
  await spend(crm, 99);
  crm.clock.advance(20_500);
  assert.deepEqual(rateOf(await send(crm)), [200, "300", "199", `${start + 81}`, null]);
  await spend(crm, 199);
  crm.clock.advance(9_000);
  assert.deepEqual(rateOf(await send(crm)), [429, "300", "0", `${start + 81}`, "31"]);
  crm.clock.advance(30_499);
  assert.deepEqual(rateOf(await send(crm)), [429, "300", "0", `${start + 81}`, "1"]);
  crm.clock.advance(1);
  assert.deepEqual(rateOf(await send(crm)), [200, "300", "99", `${start + 120}`, null]);
  await crm.api.close();
});

test("two tenants' API keys with the same ID have separate limits", async () => {
  const two = testTenant(2);
  const id = "01950001-0000-7000-9000-00000000000a";
  const [crm, ids] = [await testCrm([]), sequentialIds()];
  for (const tenant of [one, two]) {
    const integrations = [{ name: "ERP", scopes: [], keys: [{ id, key: tenant.key }] }];
    const file = { ...tenantFile(tenant), integrations };
    await loadTenantFile(crm.storage, file, { clock: crm.clock, newId: ids });
  }
  await spend(crm, 300);
  assert.equal(verdict(await send(crm)), "429 rate_limited");
  const reset = `${crm.clock.now() / 1000 + 60}`;
  assert.deepEqual(rateOf(await send(crm, { key: two.key })), [200, "300", "299", reset, null]);
  await crm.api.close();
});

test("a rate-limited request takes no token, so the wait doesn't grow", async () => {
  const crm = await testCrm([one]);
  await spend(crm, 300);
  crm.clock.advance(59_000);
  for (let i = 0; i < 500; i++) assert.equal((await send(crm)).headers.get("retry-after"), "1");
  crm.clock.advance(1_000);
  await spend(crm, 300);
  await crm.api.close();
});

test("a request rejected for another reason takes a token", async () => {
  const crm = await testCrm([one]);
  for (const path of ["/tasks?limit=0", "/tasks/1", `/me?tenantId=${one.admin}`]) await send(crm, { key, path });
  assert.equal((await send(crm)).headers.get("x-ratelimit-remaining"), "296");
  await send(crm, { key, path: "/nothing" });
  assert.equal((await send(crm)).headers.get("x-ratelimit-remaining"), "295");
  await crm.api.close();
});

test("two API keys of one integration have separate limits", async () => {
  const crm = await testCrm([one]);
  await spend(crm, 300);
  assert.equal((await send(crm)).status, 429);
  const other = await send(crm, { key: one.secondKey });
  assert.deepEqual([other.status, other.headers.get("x-ratelimit-remaining")], [200, "299"]);
  await crm.api.close();
});

test("300 of 400 concurrent requests are accepted", async () => {
  const crm = await testCrm([one]);
  const results = await Promise.all(Array.from({ length: 400 }, () => send(crm)));
  assert.equal(results.filter(({ status }) => status === 200).length, 300);
  assert.equal(results.filter(({ status }) => status === 429).length, 100);
  await crm.api.close();
});

test("GET /me returns the same rate limit as the headers", async () => {
  const crm = await testCrm([one]);
  await spend(crm, 4);
  const { body } = await send(crm);
  const { rateLimit, serverTime } = (body as { data: Record<string, unknown> }).data;
  const now = crm.clock.now();
  const resetAt = new Date(now + minuteMs).toISOString();
  assert.deepEqual([rateLimit, serverTime], [{ limit: 300, remaining: 295, resetAt }, new Date(now).toISOString()]);
  await crm.api.close();
});

test("changes of the wall clock don't affect the limit", async () => {
  const crm = await testCrm([one]);
  const start = crm.clock.now();
  await spend(crm, 300);
  for (const jump of [365 * 86_400_000, -365 * 86_400_000, minuteMs]) {
    crm.clock.set(start + jump);
    const rejected = await send(crm);
    assert.deepEqual(rateOf(rejected), [429, "300", "0", `${(start + jump) / 1000 + 60}`, "60"]);
  }
  await crm.api.close();
});

/** Compares the limiter with a plain list of the accepted requests in the last window. */
test(`no window accepts more than the limit or rejects a request below it (FC_SEED=${seed})`, async () => {
  const steps = fc.array(fc.oneof(fc.nat(40), fc.nat(2_000), fc.double({ min: 0, max: 999, noNaN: true })), {
    minLength: 1,
    maxLength: 120,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, async (limit, gaps) => {
      let now = 0;
      const limiter = memoryRateLimiter({ limit, windowMs: 1_000, clock: { monotonic: () => now } });
      const accepted: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const recent = accepted.filter((at) => at + 1_000 > now);
        const state = await limiter.take("a");
        assert.equal(state.accepted, recent.length < limit);
        if (state.accepted) accepted.push(now);
        assert.equal(state.remaining, limit - recent.length - (state.accepted ? 1 : 0));
        const [oldest = now] = recent;
        assert.equal(state.retryMs, state.accepted ? 0 : oldest + 1_000 - now);
        assert.equal(state.resetMs, (accepted.at(-1) ?? now) + 1_000 - now);
      }
    }),
    { seed, numRuns: 500 },
  );
});

test("the limiter forgets expired tokens, even with a high limit", async (t) => {
  const { splice } = Array.prototype;
  let [copies, forgotten] = [0, 0];
  t.after(() => Object.assign(Array.prototype, { splice }));
  Array.prototype.splice = function (this: unknown[], start: number, count: number) {
    copies++;
    forgotten += count;
    return splice.call(this, start, count);
  };
  let now = 0;
  const limiter = memoryRateLimiter({ limit: 100_000, windowMs: 1_000, clock: { monotonic: () => now } });
  for (let taken = 0; taken < 10_000; taken++) {
    now += 10;
    await limiter.take("a");
  }
  // At most 100 tokens of the window and as many expired ones.
  assert.ok(forgotten >= 10_000 - 300, `${10_000 - forgotten} are remembered`);
  assert.ok(copies <= 10_000 / 65, `${copies} copies`);
});
