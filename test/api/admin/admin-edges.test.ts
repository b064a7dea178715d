import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import { sequentialIds } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const generate = "/api-key/generate";
const january = "2026-01-05T08:00:00.000Z";
const origin = "http://crm.test";
const unknownId = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

/** Opens an API with this tenant. `admin` sends requests of its admin. */
async function openAdmin(t: TestContext, file: unknown = tenantFile(one)) {
  const crm = await crmWith(t, [file]);
  return { crm, admin: adminOf(crm, one.id, one.admin) };
}

test("POST /api-key/generate returns every error at once with the highest-priority code", async (t) => {
  const { admin } = await openAdmin(t);
  const body = { integrationId: one.account, expiresAt: "2020-01-01T00:00:00Z" };
  const result = await admin("POST", generate, { body });
  assert.equal(verdict(result), "422 invalid_reference: /integrationId not_found, /expiresAt out_of_range");
});

test("an integration with createdAt 0 gets API keys", async (t) => {
  const old = { id: one.integration, name: "ERP", scopes: [], createdAt: "1970-01-01T00:00:00.000Z", keys: [] };
  const { admin } = await openAdmin(t, { ...tenantFile(one), integrations: [old] });
  const result = await admin("POST", generate);
  assert.equal(dataOf<ShownKey>(result, 201).integrationId, one.integration);
});

test("a tenant whose only integration was archived can generate API keys", async (t) => {
  const gone = { id: one.id, name: "Integration", scopes: [], createdAt: january, archivedAt: january, keys: [] };
  const { crm, admin } = await openAdmin(t, { ...tenantFile(one), integrations: [gone] });
  const result = await admin("POST", generate);
  assert.equal((await crm.send("GET", "/me", { key: dataOf<ShownKey>(result, 201).key })).status, 200);
});

test("a user without permission is rate limited, because the rate limit is checked first", async (t) => {
  const { crm } = await openAdmin(t);
  const member = adminOf(crm, one.id, one.member);
  const first = await member("GET", "/api-key");
  assert.deepEqual([verdict(first), first.headers.get("x-ratelimit-remaining")], ["403 insufficient_scope", "299"]);
  for (let count = 1; count < 300; count++) await member("GET", "/api-key");
  assert.equal(verdict(await member("GET", "/api-key")), "429 rate_limited");
});

test("an API key in x-api-key together with a token returns 401", async (t) => {
  const { admin } = await openAdmin(t);
  const result = await admin("GET", "/api-key", { key: one.key });
  assert.equal(verdict(result), "401 unauthorized");
});

test("50 concurrent POST /api-key/generate create one integration, even if the tenant's first one was archived", async (t) => {
  const gone = { id: one.id, name: "Integration", scopes: [], createdAt: january, archivedAt: january, keys: [] };
  const { crm, admin } = await openAdmin(t, { ...tenantFile(one), integrations: [gone] });
  const responses = await Promise.all(Array.from({ length: 50 }, () => admin("POST", generate)));
  assert.equal((await crm.storage.list(one.id, "integration", {})).length, 1);
  assert.equal(responses.filter(({ status }) => status === 201).length, 2);
});

test("loading a tenant file again reports which of its API keys were revoked since", async (t) => {
  const { crm, admin } = await openAdmin(t);
  const [{ id } = { id: "" }] = dataOf<ShownKey[]>(await admin("GET", "/api-key")).filter(({ maskedKey }) => {
    return maskedKey === `${one.key.slice(0, 18)}****`;
  });
  assert.equal((await admin("POST", `/api-key/${id}/revoke`)).status, 200);
  const again = await loadTenantFile(crm.storage, tenantFile(one), { clock: crm.clock, newId: sequentialIds() });
  const states = new Map(again.keys.map(({ key, revoked }) => [key, revoked]));
  assert.deepEqual([again.created, states.get(one.key), states.get(one.secondKey)], [false, true, false]);
});

test("admin tokens and API keys of an archived tenant are rejected", async (t) => {
  const { tenant, ...rest } = tenantFile(one);
  const times = { createdAt: january, updatedAt: january, archivedAt: january };
  const { crm, admin } = await openAdmin(t, { ...rest, tenant: { ...(tenant as object), ...times } });
  const result = await admin("GET", "/api-key");
  const message = "The user isn't an active admin of the tenant.";
  const error = { code: "insufficient_scope", message, details: { required: "admin" } };
  assert.deepEqual([result.status, result.body], [403, { error }]);
  assert.equal(verdict(await crm.send("GET", "/me", { key: one.key })), "401 unauthorized");
});

for (const prefix of ["", "/eu", "/eu/gateway", "/integrations", "/v1", "/integrations/v10"]) {
  test(`admin endpoints are served at ${prefix}/integrations/api-key`, async (t) => {
    const { admin } = await openAdmin(t);
    const base = `${origin}${prefix}/integrations/api-key`;
    assert.equal(verdict(await admin("GET", base)), "200");
    assert.equal(verdict(await admin("POST", `${base}/generate`, { body: { rotate: true } })), "201");
    assert.equal(verdict(await admin("DELETE", base)), "405 bad_request");
  });
}

const wrongPrefixes = [
  "/integrations/v1",
  "/eu/integrations/v1",
  "/integrations/v1/tasks",
  `/integrations/v1/tasks/${unknownId}`,
  "/integrations/v1/integrations",
  "/integrations/v1/eu/integrations",
  "/integrations/api-key",
];
for (const prefix of wrongPrefixes) {
  test(`admin endpoints return 404 not_found at ${prefix}/integrations/api-key`, async (t) => {
    const { crm, admin } = await openAdmin(t);
    const keys = await crm.storage.list(one.id, "apiKey", { includeArchived: true });
    const base = `${origin}${prefix}/integrations/api-key`;
    assert.equal(verdict(await admin("GET", base)), "404 not_found");
    assert.equal(verdict(await admin("DELETE", base)), "404 not_found");
    assert.equal(verdict(await admin("POST", `${base}/generate`)), "404 not_found");
    assert.equal(verdict(await admin("POST", `${base}/${keys[0]?.id}/revoke`)), "404 not_found");
    assert.deepEqual(await crm.storage.list(one.id, "apiKey", { includeArchived: true }), keys);
  });
}

test("admin endpoints return 404 not_found under /integrations/v1", async (t) => {
  const { admin } = await openAdmin(t);
  for (const path of ["/v1/api-key", "/v1/api-key/generate"])
    assert.equal(verdict(await admin("POST", path)), "404 not_found");
});
