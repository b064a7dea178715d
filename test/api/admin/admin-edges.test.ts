import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import { sequentialIds } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const generate = "/api-key/generate";
const january = "2026-01-05T08:00:00.000Z";

test("POST /api-key/generate returns every error at once with the highest-priority code", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const body = { integrationId: one.account, expiresAt: "2020-01-01T00:00:00Z" };
  const result = await adminOf(crm, one.id, one.admin)("POST", generate, { body });
  assert.equal(verdict(result), "422 invalid_reference: /integrationId not_found, /expiresAt out_of_range");
});

test("an integration with createdAt 0 gets API keys", async (t) => {
  const old = { id: one.integration, name: "ERP", scopes: [], createdAt: "1970-01-01T00:00:00.000Z", keys: [] };
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations: [old] }]);
  const result = await adminOf(crm, one.id, one.admin)("POST", generate);
  assert.equal(dataOf<ShownKey>(result, 201).integrationId, one.integration);
});

test("a tenant whose only integration was archived can generate API keys", async (t) => {
  const gone = { id: one.id, name: "Integration", scopes: [], createdAt: january, archivedAt: january, keys: [] };
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations: [gone] }]);
  const admin = adminOf(crm, one.id, one.admin);
  const result = await admin("POST", generate);
  assert.equal((await crm.send("GET", "/me", { key: dataOf<ShownKey>(result, 201).key })).status, 200);
});

test("a user without permission is rate limited, because the rate limit is checked first", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const member = adminOf(crm, one.id, one.member);
  const first = await member("GET", "/api-key");
  assert.deepEqual([verdict(first), first.headers.get("x-ratelimit-remaining")], ["403 insufficient_scope", "299"]);
  for (let count = 1; count < 300; count++) await member("GET", "/api-key");
  assert.equal(verdict(await member("GET", "/api-key")), "429 rate_limited");
});

test("an API key in x-api-key together with a token returns 401", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const result = await adminOf(crm, one.id, one.admin)("GET", "/api-key", { key: one.key });
  assert.equal(verdict(result), "401 unauthorized");
});

test("50 concurrent POST /api-key/generate create one integration, even if the tenant's first one was archived", async (t) => {
  const gone = { id: one.id, name: "Integration", scopes: [], createdAt: january, archivedAt: january, keys: [] };
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations: [gone] }]);
  const admin = adminOf(crm, one.id, one.admin);
  const responses = await Promise.all(Array.from({ length: 50 }, () => admin("POST", generate)));
  assert.equal((await crm.storage.list(one.id, "integration", {})).length, 1);
  assert.equal(responses.filter(({ status }) => status === 201).length, 2);
});

test("loading a tenant file again reports which of its API keys were revoked since", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
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
  const crm = await crmWith(t, [{ ...rest, tenant: { ...(tenant as object), ...times } }]);
  const result = await adminOf(crm, one.id, one.admin)("GET", "/api-key");
  const message = "The user isn't an active admin of the tenant.";
  const error = { code: "insufficient_scope", message, details: { required: "admin" } };
  assert.deepEqual([result.status, result.body], [403, { error }]);
  assert.equal(verdict(await crm.send("GET", "/me", { key: one.key })), "401 unauthorized");
});
