import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { type AdminSend, adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import type { Result, TestCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { type Tenant, tenantFile, testTenant } from "../../support/tenants.ts";

const one = { ...testTenant(1), otherIntegration: "0195abcd-0000-7000-9008-00000000000f" };
const two = testTenant(2);
const start = "2026-03-01T12:00:00.000Z";
const january = "2026-01-05T08:00:00.000Z";
const february = "2026-02-05T08:00:00.000Z";

/** Two integrations, the older one last; it has one active key, one revoked and one expired. */
function file(tenant: Tenant): Record<string, unknown> {
  const keys = [
    { key: tenant.key, createdAt: january, createdBy: tenant.admin },
    { key: tenant.revokedKey, createdAt: january, revokedAt: february },
    { key: tenant.expiredKey, createdAt: january, expiresAt: february },
  ];
  const integrations = [
    { id: tenant.otherIntegration, name: "Reader", scopes: [], createdAt: february, keys: [{ key: tenant.readKey }] },
    { id: tenant.integration, name: "ERP", scopes: ["tasks:read", "users:read"], createdAt: january, keys },
  ];
  return { ...tenantFile(tenant), integrations };
}

async function openCrm(t: TestContext): Promise<TestCrm & { admin: AdminSend }> {
  const crm = await crmWith(t, [file(one), file(two)]);
  return { ...crm, admin: adminOf(crm, one.id, one.admin) };
}

async function listKeys(admin: AdminSend): Promise<ShownKey[]> {
  return dataOf<ShownKey[]>(await admin("GET", "/api-key"));
}

/** Returns the documented members of a key. Those that aren't given are null. */
function shown(key: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const erp = { integrationId: one.integration, integrationName: "ERP", scopes: ["tasks:read", "users:read"] };
  const times = { createdAt: january, createdBy: null, lastUsedAt: null, expiresAt: null, revokedAt: null };
  return { ...erp, maskedKey: `${key.slice(0, 18)}****`, status: "active", ...times, ...more };
}

const reader = { integrationId: one.otherIntegration, integrationName: "Reader", scopes: [], createdAt: start };

test("GET /api-key returns every key of the tenant, oldest first, with the documented members and no value", async (t) => {
  const { admin } = await openCrm(t);
  const result = await admin("GET", "/api-key");
  assert.deepEqual(
    dataOf<ShownKey[]>(result).map(({ id: _, ...rest }) => rest),
    [
      shown(one.key, { createdBy: one.admin }),
      shown(one.revokedKey, { status: "revoked", revokedAt: february }),
      shown(one.expiredKey, { status: "expired", expiresAt: february }),
      shown(one.readKey, reader),
    ],
  );
  for (const key of [one.key, one.readKey, one.revokedKey, one.expiredKey]) {
    assert.ok(!result.text.includes(key.slice(18)) && !result.text.includes(hashKey(key)));
  }
});

test("POST /api-key/generate without an integration uses the oldest one, returns the whole key, and the key works at once", async (t) => {
  const { admin, send, clock } = await openCrm(t);
  clock.advance(1_000);
  const result = await admin("POST", "/api-key/generate");
  const { id, key, ...rest } = dataOf<ShownKey>(result, 201);
  assert.match(key, /^crm_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/);
  assert.deepEqual(rest, shown(key, { createdAt: "2026-03-01T12:00:01.000Z", createdBy: one.admin }));
  const me = dataOf<Record<string, unknown>>(await send("GET", "/me", { key }));
  assert.deepEqual([me.tenantId, me.integrationId, me.keyId], [one.id, one.integration, id]);
  assert.deepEqual(me.scopes, ["tasks:read", "users:read"]);
  assert.equal((await send("GET", "/me", { key: one.key })).status, 200);
});

test("POST /api-key/generate returns not_found for an integration of another tenant", async (t) => {
  const { admin } = await openCrm(t);
  const body = { integrationId: one.otherIntegration.toUpperCase() };
  const made = dataOf<ShownKey>(await admin("POST", "/api-key/generate", { body }), 201);
  assert.deepEqual([made.integrationId, made.integrationName], [one.otherIntegration, "Reader"]);
  const invalid = [two.integration, "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11", one.account];
  const rejected = await Promise.all(
    invalid.map((integrationId) => admin("POST", "/api-key/generate", { body: { integrationId } })),
  );
  const message = "The integration in integrationId doesn't exist.";
  const errors = [{ path: "/integrationId", code: "not_found", message }];
  for (const { status, body } of rejected) {
    assert.deepEqual([status, body], [422, { error: { code: "invalid_reference", message, details: { errors } } }]);
  }
  assert.equal((await listKeys(admin)).length, 5);
});

test("an API key stops working at the moment it expires", async (t) => {
  const { admin, send, clock } = await openCrm(t);
  const body = { expiresAt: "2026-03-01T13:00:01+01:00" };
  const { id, key, expiresAt } = dataOf<ShownKey>(await admin("POST", "/api-key/generate", { body }), 201);
  assert.equal(expiresAt, "2026-03-01T12:00:01.000Z");
  clock.advance(999);
  assert.equal((await send("GET", "/me", { key })).status, 200);
  clock.advance(1);
  const rejected = await send("GET", "/me", { key });
  assert.deepEqual(rejected.body, { error: { code: "unauthorized", message: "Expired API key." } });
  assert.equal(rejected.status, 401);
  assert.equal((await listKeys(admin)).find((each) => each.id === id)?.status, "expired");
});

test("POST /api-key/generate rejects an expiresAt that isn't in the future", async (t) => {
  const { admin } = await openCrm(t);
  for (const expiresAt of ["2026-03-01T11:59:59.999Z", start]) {
    const { status, body } = await admin("POST", "/api-key/generate", { body: { expiresAt } });
    const message = "expiresAt must be in the future.";
    const errors = [{ path: "/expiresAt", code: "out_of_range", message, limits: { notBefore: start } }];
    assert.deepEqual([status, body], [422, { error: { code: "validation_error", message, details: { errors } } }]);
  }
  assert.equal((await listKeys(admin)).length, 4);
});

function revoke(admin: AdminSend, id: string): Promise<Result> {
  return admin("POST", `/api-key/${id}/revoke`);
}

test("a revoked API key returns 401 immediately, and revoking it again changes nothing", async (t) => {
  const { admin, send, clock } = await openCrm(t);
  const { id, key, ...made } = dataOf<ShownKey>(await admin("POST", "/api-key/generate"), 201);
  clock.advance(5_000);
  const first = await revoke(admin, id);
  const revokedAt = "2026-03-01T12:00:05.000Z";
  assert.deepEqual([first.status, dataOf(first)], [200, { id, ...made, status: "revoked", revokedAt }]);
  const rejected = await send("GET", "/me", { key });
  assert.deepEqual(
    [rejected.status, rejected.body],
    [401, { error: { code: "unauthorized", message: "Revoked API key." } }],
  );
  clock.advance(5_000);
  const again = await revoke(admin, id.toUpperCase());
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal((await send("GET", "/me", { key: one.key })).status, 200);
});

test("revoking an unknown, a malformed and another tenant's ID returns the same 404", async (t) => {
  const crm = await openCrm(t);
  const { admin, send } = crm;
  const foreign = (await listKeys(adminOf(crm, two.id, two.admin))).map(({ id }) => id);
  const responses = new Set<string>();
  for (const id of [...foreign, "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11", "x", "%ff", one.integration]) {
    const result = await revoke(admin, id);
    assert.equal(verdict(result), "404 not_found");
    responses.add(result.text);
  }
  assert.equal(responses.size, 1);
  assert.equal((await send("GET", "/me", { key: two.key })).status, 200);
});

test("admin endpoints work under any prefix, but not under v1", async (t) => {
  const { admin, send } = await openCrm(t);
  const gateway = "http://crm.test/eu/gateway/integrations";
  const { id, key } = dataOf<ShownKey>(await admin("POST", `${gateway}/api-key/generate`), 201);
  assert.equal((await admin("GET", `${gateway}/api-key`)).status, 200);
  assert.equal((await admin("POST", `${gateway}/api-key/${id}/revoke`)).status, 200);
  assert.equal((await send("GET", "/me", { key })).status, 401);
  assert.equal(verdict(await admin("GET", "/v1/api-key")), "404 not_found");
  assert.equal(verdict(await admin("DELETE", "/api-key")), "405 bad_request");
});
