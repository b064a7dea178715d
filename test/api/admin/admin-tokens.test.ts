import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { createApi, signAdminToken, type Write } from "../../../lib/index.ts";
import type { Records } from "../../../lib/model/kinds.ts";
import { adminAuth, adminOf, adminUrl, crmWith, tokenFor } from "../../support/admin.ts";
import { send, type TestCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

// Tests in test/prove cover invalid tokens: isolated-tokens for forgeries, isolated-roles for users and roles.

const one = testTenant(1);
const keys = `${adminUrl}/api-key`;

/** Asks again with a token that was given out when the CRM was opened. */
async function openCrm(t: Parameters<typeof crmWith>[0]) {
  const crm = await crmWith(t, [tenantFile(one)]);
  const headers = { authorization: `Bearer ${await tokenFor(crm, one.id, one.admin)}` };
  return { crm, listKeys: async () => verdict(await crm.send("GET", keys, { headers })) };
}

async function change<K extends "user" | "tenant">(
  { storage, clock }: TestCrm,
  kind: K,
  id: string,
  to: Partial<Records[K]>,
) {
  const record = await storage.get(one.id, kind, id);
  assert.ok(record);
  await storage.commit(one.id, clock.now(), (at) => {
    const changed = { ...record, ...to, updatedAt: at };
    return [{ op: "update", kind, record: changed, expectedUpdatedAt: record.updatedAt } as unknown as Write];
  });
}

test("an admin token is valid until its exp", async (t) => {
  const { crm, listKeys } = await openCrm(t);
  crm.clock.advance(3_599_999);
  assert.equal(await listKeys(), "200");
  crm.clock.advance(1);
  assert.equal(await listKeys(), "401 unauthorized");
});

test("an admin token requires an active admin of an existing tenant", async (t) => {
  const { crm, listKeys } = await openCrm(t);
  const ways = [{ role: "member" }, { active: false }, { archivedAt: crm.clock.now() }] as const;
  for (const way of ways) {
    await change(crm, "user", one.admin, way);
    assert.equal(await listKeys(), "403 insufficient_scope", JSON.stringify(way));
    await change(crm, "user", one.admin, { role: "admin", active: true, archivedAt: null });
    assert.equal(await listKeys(), "200");
  }
  await change(crm, "tenant", one.id, { archivedAt: crm.clock.now() });
  assert.equal(await listKeys(), "403 insufficient_scope");
});

test("integration endpoints return 401 for an admin token in either header", async (t) => {
  const { crm } = await openCrm(t);
  const token = await tokenFor(crm, one.id, one.admin);
  for (const sent of [{ key: token }, { headers: { authorization: `Bearer ${token}` } }]) {
    const { status, body } = await crm.send("GET", "/me", sent);
    const message = "Admin tokens aren't accepted here. Send an API key.";
    assert.deepEqual([status, body], [401, { error: { code: "unauthorized", message } }]);
  }
});

test("without adminAuth, admin endpoints return 401 for every token", async (t) => {
  const { crm } = await openCrm(t);
  const closed = createApi({ storage: crm.storage, clock: crm.clock });
  const asClosed = { ...crm, send: send.bind(null, closed) };
  for (const [method, path] of [
    ["GET", "/api-key"],
    ["POST", "/api-key/generate"],
  ] as const) {
    const { status, body } = await adminOf(asClosed, one.id, one.admin)(method, path);
    const message =
      "This server accepts no admin tokens. Its operator must set adminAuth in createApi(), or start it with --data or " +
      "--admin-secret.";
    assert.deepEqual([status, body], [401, { error: { code: "unauthorized", message } }]);
  }
});

test("adminAuth accepts a secret of at least 32 bytes or a JWKS address, not both", async (t) => {
  const { crm } = await openCrm(t);
  const { issuer, audience, secret } = adminAuth;
  const jwksUrl = "http://127.0.0.1/jwks";
  for (const rest of [{}, { secret: secret.subarray(1) }, { secret: new Uint8Array() }, { secret, jwksUrl }]) {
    assert.throws(() => createApi({ storage: crm.storage, adminAuth: { issuer, audience, ...rest } }), TypeError);
  }
});

test("adminAuth.secret must be a Uint8Array of at least 32 bytes", async (t) => {
  const { crm } = await openCrm(t);
  const { issuer, audience } = adminAuth;
  const says = "adminAuth.secret must be a Uint8Array of at least 32 bytes, such as new TextEncoder().encode(text)";
  for (const secret of ["s".repeat(40), Array.from({ length: 40 }, () => 1), new Uint8Array(40).buffer, null]) {
    const wrong = { issuer, audience, secret } as unknown as typeof adminAuth;
    assert.throws(() => createApi({ storage: crm.storage, adminAuth: wrong }), new TypeError(says));
  }
});

test("createApi rejects adminAuth without an issuer or an audience", async (t) => {
  const { crm } = await openCrm(t);
  for (const name of ["issuer", "audience"] as const) {
    for (const value of [undefined, "", null, 5, []]) {
      const wrong = { ...adminAuth, [name]: value } as unknown as typeof adminAuth;
      const error = new TypeError(`adminAuth.${name} must be a non-empty string`);
      assert.throws(() => createApi({ storage: crm.storage, adminAuth: wrong }), error);
    }
  }
});

test("signAdminToken rejects a secret of fewer than 32 bytes", async () => {
  const claims = { tenantId: one.id, userId: one.admin };
  const short = { ...adminAuth, secret: adminAuth.secret.subarray(1) };
  await assert.rejects(signAdminToken(short, claims, { issuedAt: 0, expiresAt: 60 }), TypeError);
});

test("GET /api-key returns 401 unauthorized for a token without exp, without aud or signed with a short secret", async (t) => {
  const { crm } = await openCrm(t);
  const exp = Math.floor(crm.clock.now() / 1000) + 60;
  const claims = { iss: adminAuth.issuer, aud: adminAuth.audience, sub: one.admin, tenantId: one.id, exp };
  const sign = (more: object, secret: Uint8Array = adminAuth.secret) =>
    new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: "HS256" }).sign(secret);
  const verdictOf = async (token: string) =>
    verdict(await crm.send("GET", keys, { headers: { authorization: `Bearer ${token}` } }));
  assert.equal(await verdictOf(await sign({})), "200");
  const wrong = [
    { exp: undefined },
    { aud: undefined },
    { aud: [] },
    { iss: undefined },
    { exp: exp - 60 },
    { exp: "x" },
  ];
  for (const more of wrong) {
    assert.equal(await verdictOf(await sign(more)), "401 unauthorized", JSON.stringify(more));
  }
  assert.equal(await verdictOf(await sign({}, adminAuth.secret.subarray(0, 31))), "401 unauthorized");
});
