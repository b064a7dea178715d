import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { type AdminSend, adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import type { TestCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const at = "2026-01-05T08:00:00.000Z";
const generate = "/api-key/generate";

/** One integration with these keys. Without keys, no integration. */
async function openCrm(t: TestContext, keys?: readonly unknown[]): Promise<TestCrm & { admin: AdminSend }> {
  const erp = { id: one.integration, name: "ERP", scopes: ["tasks:write"], createdAt: at, keys };
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations: keys === undefined ? [] : [erp] }]);
  return { ...crm, admin: adminOf(crm, one.id, one.admin) };
}

async function active(admin: AdminSend): Promise<string[]> {
  const keys = dataOf<ShownKey[]>(await admin("GET", "/api-key"));
  return keys.filter(({ status }) => status === "active").map(({ id }) => id);
}

async function everythingStored({ storage }: TestCrm): Promise<string> {
  const kinds = Object.keys(models) as Kind[];
  const lists = await Promise.all(kinds.map((kind) => storage.list(one.id, kind, { includeArchived: true })));
  return JSON.stringify(lists);
}

test("POST /api-key/generate returns 409 for a third active key and says how to continue", async (t) => {
  const { admin } = await openCrm(t, [
    { key: one.key },
    { key: one.revokedKey, revokedAt: at },
    { key: one.expiredKey, expiresAt: at },
  ]);
  assert.equal((await admin("POST", generate)).status, 201);
  for (const body of [{}, { rotate: false }, { integrationId: one.integration, name: "ERP" }]) {
    const rejected = await admin("POST", generate, { body });
    const message = "The integration has 2 active API keys. Revoke one, or send rotate: true to revoke the older one.";
    const details = { reason: "active_key_limit", allowed: ["revoke", "rotate"] };
    assert.deepEqual([rejected.status, rejected.body], [409, { error: { code: "conflict", message, details } }]);
  }
  const keys = dataOf<ShownKey[]>(await admin("GET", "/api-key"));
  assert.deepEqual([keys.length, new Set(keys.map(({ integrationName }) => integrationName))], [4, new Set(["ERP"])]);
});

test("rotate revokes the older of two active API keys, or none if only one is active", async (t) => {
  const { admin, send, clock } = await openCrm(t, [{ key: one.key, createdAt: at }]);
  const second = dataOf<ShownKey>(await admin("POST", generate, { body: { rotate: true } }), 201);
  assert.equal((await active(admin)).length, 2);
  clock.advance(60_000);
  assert.equal((await send("POST", "/tasks", { key: one.key, body: { title: "Used last" } })).status, 201);
  const third = dataOf<ShownKey>(await admin("POST", generate, { body: { rotate: true } }), 201);
  assert.deepEqual(new Set(await active(admin)), new Set([second.id, third.id]));
  const responses = await Promise.all([one.key, second.key, third.key].map((key) => send("GET", "/me", { key })));
  assert.deepEqual(responses.map(verdict), ["401 unauthorized", "200", "200"]);
});

test("revoked and expired API keys don't count toward the limit", async (t) => {
  const { admin, clock } = await openCrm(t, [{ key: one.key }, { key: one.secondKey }]);
  assert.equal(verdict(await admin("POST", generate)), "409 conflict");
  const [first] = await active(admin);
  await admin("POST", `/api-key/${first}/revoke`);
  assert.equal((await admin("POST", generate, { body: { expiresAt: "2026-03-01T12:30:00Z" } })).status, 201);
  assert.equal(verdict(await admin("POST", generate)), "409 conflict");
  clock.advance(30 * 60_000);
  assert.equal((await admin("POST", generate)).status, 201);
});

const cases: readonly (readonly [what: string, keys: readonly unknown[] | undefined, integrations: number])[] = [
  ["an integration with a key", [{ key: one.key }], 1],
  ["an integration without keys", [], 1],
  ["a tenant without an integration, which gets exactly one", undefined, 1],
];
for (const [what, keys, integrations] of cases) {
  test(`50 concurrent POST /api-key/generate leave two active keys: ${what}`, async (t) => {
    const { admin, storage } = await openCrm(t, keys);
    const responses = await Promise.all(Array.from({ length: 50 }, () => admin("POST", generate)));
    const free = 2 - (keys ?? []).length;
    const expected = Array.from({ length: 50 }, (_, index) => (index < free ? "201" : "409 conflict"));
    assert.deepEqual(responses.map(verdict).toSorted(), expected);
    assert.equal((await active(admin)).length, 2);
    assert.equal((await storage.list(one.id, "integration", { includeArchived: true })).length, integrations);
  });

  test(`50 concurrent rotations all succeed and leave two active keys: ${what}`, async (t) => {
    const { admin, send } = await openCrm(t, keys);
    const body = { rotate: true };
    const responses = await Promise.all(Array.from({ length: 50 }, () => admin("POST", generate, { body })));
    assert.deepEqual(new Set(responses.map(verdict)), new Set(["201"]));
    const ids = await active(admin);
    assert.equal(ids.length, 2);
    const made = responses.map((response) => dataOf<ShownKey>(response, 201));
    const works = await Promise.all(made.map(async ({ key }) => (await send("GET", "/me", { key })).status === 200));
    assert.deepEqual(new Set(made.filter((_, index) => works[index]).map(({ id }) => id)), new Set(ids));
  });
}

test("the first integration of a tenant gets every scope", async (t) => {
  const { admin, send } = await openCrm(t);
  assert.deepEqual(dataOf(await admin("GET", "/api-key")), []);
  const { key, integrationName } = dataOf<ShownKey>(await admin("POST", generate, { body: { name: "Webshop" } }), 201);
  assert.equal(integrationName, "Webshop");
  assert.equal((await send("GET", "/users", { key })).status, 200);
  assert.equal((await send("POST", "/tasks", { key, body: { title: "Call" } })).status, 201);
});

test("the value of a key is returned once: a replay contains null, and no stored record contains it", async (t) => {
  const crm = await openCrm(t, []);
  const sent = {
    headers: { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" },
    body: { name: "Shop", scopes: [] },
  };
  const first = await crm.admin("POST", generate, sent);
  const { key, ...rest } = dataOf<ShownKey>(first, 201);
  const replay = await crm.admin("POST", generate, sent);
  assert.deepEqual([replay.status, replay.headers.get("idempotent-replayed")], [201, "true"]);
  assert.deepEqual(replay.body, { data: { ...rest, key: null } });
  assert.deepEqual(await active(crm.admin), [rest.id]);
  const stored = await everythingStored(crm);
  assert.ok(stored.includes(rest.id) && stored.includes("fingerprint"), "there is something to look through");
  for (let from = 18; from + 12 <= key.length; from++) assert.ok(!stored.includes(key.slice(from, from + 12)));
});

test("POST /api-key/generate rejects an Idempotency-Key that was used for another body or endpoint", async (t) => {
  const { admin } = await openCrm(t, []);
  const headers = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
  const { id } = dataOf<ShownKey>(await admin("POST", generate, { headers }), 201);
  for (const path of [generate, `/api-key/${id}/revoke`]) {
    const result = await admin("POST", path, { headers, body: path === generate ? { rotate: true } : {} });
    assert.equal(verdict(result), "422 idempotency_key_reused");
  }
  assert.deepEqual(await active(admin), [id]);
});

test("lastUsedAt is set at the first use and then at most once a minute", async (t) => {
  const { admin, api, send, clock } = await openCrm(t, [{ key: one.key }]);
  const usedAfter = async (ms: number): Promise<unknown> => {
    clock.advance(ms);
    assert.equal((await send("GET", "/me", { key: one.key })).status, 200);
    await api.idle();
    return dataOf<ShownKey[]>(await admin("GET", "/api-key"))[0]?.lastUsedAt;
  };
  assert.equal(dataOf<ShownKey[]>(await admin("GET", "/api-key"))[0]?.lastUsedAt, null);
  assert.equal(await usedAfter(1_000), "2026-03-01T12:00:01.000Z");
  assert.equal(await usedAfter(59_999), "2026-03-01T12:00:01.000Z");
  assert.equal(await usedAfter(1), "2026-03-01T12:01:01.000Z");
  assert.equal(await usedAfter(3_600_000), "2026-03-01T13:01:01.000Z");
  clock.set("2026-02-28T12:00:00Z");
  assert.equal(await usedAfter(0), "2026-02-28T12:00:00.000Z", "recorded while the clock was a day ahead");
});

test("the status of a key is active until it expires, even if the clock was ahead during a write", async (t) => {
  const { admin, send, clock } = await openCrm(t, []);
  clock.advance(86_400_000);
  assert.equal((await admin("POST", generate)).status, 201);
  clock.set("2026-03-01T12:00:00Z");
  const made = await admin("POST", generate, { body: { expiresAt: "2026-03-01T20:00:00Z" } });
  const { status, key = "" } = dataOf<ShownKey>(made, 201);
  assert.equal(status, "active");
  assert.equal((await send("GET", "/me", { key })).status, 200);
});
