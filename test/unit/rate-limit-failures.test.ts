import assert from "node:assert/strict";
import { test } from "node:test";
import { baseUrl, type TestCrm, testCrm } from "../support/harness.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const minuteMs = 60_000;

async function from(crm: TestCrm, remoteAddress: string | undefined, apiKey: string): Promise<Response> {
  const request = new Request(`${baseUrl}/me`, { headers: { "x-api-key": apiKey } });
  return crm.api.fetch(request, { remoteAddress });
}

test("an address gets 60 failed authentications per minute, then 429, and its valid API keys still work", async () => {
  const crm = await testCrm([one]);
  for (let i = 0; i < 60; i++) assert.equal((await from(crm, "10.0.0.1", `wrong ${i}`)).status, 401);
  const rejected = await from(crm, "10.0.0.1", one.revokedKey);
  assert.deepEqual([rejected.status, rejected.headers.get("retry-after")], [429, "60"]);
  assert.equal(rejected.headers.has("x-ratelimit-limit"), false);
  const { error } = (await rejected.json()) as { error: unknown };
  const message = "Too many failed authentication attempts from this address (60 per minute). Retry after 60 s.";
  assert.deepEqual(error, { code: "rate_limited", message });

  assert.equal((await from(crm, "10.0.0.1", key)).status, 200);
  assert.equal((await from(crm, "10.0.0.2", "wrong")).status, 401);
  crm.clock.advance(minuteMs);
  assert.equal((await from(crm, "10.0.0.1", "wrong")).status, 401);
  await crm.api.close();
});

test("requests without a known address share one limit for failed authentications", async () => {
  const crm = await testCrm([one]);
  for (let i = 0; i < 60; i++) await from(crm, undefined, "wrong");
  assert.equal((await from(crm, undefined, "wrong")).status, 429);
  assert.equal((await from(crm, undefined, key)).status, 200);
  await crm.api.close();
});

test("a custom authFailureLimiter replaces the default one", async () => {
  const addresses: string[] = [];
  const take = async (address: string) => {
    addresses.push(address);
    return { accepted: addresses.length < 2, limit: 1, remaining: 0, resetMs: minuteMs, retryMs: 2_500 };
  };
  const crm = await testCrm([one], { authFailureLimiter: { take } });
  assert.equal((await from(crm, "10.0.0.1", "wrong")).status, 401);
  const rejected = await from(crm, "10.0.0.2", "wrong");
  assert.deepEqual([rejected.status, rejected.headers.get("retry-after")], [429, "3"]);
  assert.equal((await from(crm, "10.0.0.2", key)).status, 200);
  assert.deepEqual(addresses, ["10.0.0.1", "10.0.0.2"]);
  await crm.api.close();
});
