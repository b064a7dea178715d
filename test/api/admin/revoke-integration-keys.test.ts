import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const [one, two] = [testTenant(1), testTenant(2)];
const path = `/admin/integrations/${one.integration}`;

/** Returns the tenant with a second key of its integration, and a key of another one. */
async function open(t: TestContext) {
  const integration = { id: one.integration, name: "ERP", scopes: ["tasks:read"], keys: [{ key: one.key }] };
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations: [integration] }, tenantFile(two)]);
  const admin = adminOf(crm, one.id, one.admin);
  const generate = async (body: object) =>
    dataOf<ShownKey>(await admin("POST", "/api-key/generate", { body }), 201).key;
  const second = await generate({ integrationId: one.integration });
  const other = await generate({ name: "Other", scopes: ["tasks:read"] });
  const statusOf = async (key: string) => (await crm.send("GET", "/me", { key })).status;
  const statuses = () => Promise.all([one.key, second, other].map(statusOf));
  return { ...crm, admin, statuses };
}

test("archiving an integration doesn't revoke its API keys: restoring it brings them back", async (t) => {
  const { admin, statuses } = await open(t);
  assert.equal((await admin("DELETE", path)).status, 204);
  assert.deepEqual(await statuses(), [401, 401, 200]);
  assert.equal((await admin("POST", `${path}/restore`)).status, 200);
  assert.deepEqual(await statuses(), [200, 200, 200]);
});

test("POST /admin/integrations/{id}/revoke-keys revokes all API keys of the integration", async (t) => {
  const { admin, statuses, clock } = await open(t);
  const revoked = dataOf<ShownKey[]>(await admin("POST", `${path}/revoke-keys`));
  assert.deepEqual(
    revoked.map(({ status, integrationId, key }) => [status, integrationId, key]),
    Array.from({ length: 2 }, () => ["revoked", one.integration, undefined]),
  );
  assert.deepEqual(await statuses(), [401, 401, 200]);
  clock.advance(60_000);
  assert.deepEqual(dataOf<ShownKey[]>(await admin("POST", `${path}/revoke-keys`)), revoked);
});

test("the API keys of an archived integration can be revoked, and restoring doesn't bring them back", async (t) => {
  const { admin, statuses } = await open(t);
  await admin("DELETE", path);
  assert.equal(dataOf<ShownKey[]>(await admin("POST", `${path}/revoke-keys`)).length, 2);
  assert.equal((await admin("POST", `${path}/restore`)).status, 200);
  assert.deepEqual(await statuses(), [401, 401, 200]);
});

test("POST /admin/integrations/{id}/revoke-keys returns 404 for an unknown integration and one of another tenant", async (t) => {
  const { admin, send } = await open(t);
  for (const id of [one.admin, two.integration, "x"])
    assert.equal(verdict(await admin("POST", `/admin/integrations/${id}/revoke-keys`)), "404 not_found");
  assert.equal((await send("GET", "/me", { key: two.key })).status, 200);
});

test("a key that is generated while the keys are revoked is revoked, or was generated after", async (t) => {
  const { admin, storage } = await open(t);
  for (let round = 0; round < 10; round++) {
    const [generated, revoked] = await Promise.all([
      admin("POST", "/api-key/generate", { body: { integrationId: one.integration, rotate: true } }),
      admin("POST", `${path}/revoke-keys`),
    ]);
    const { id } = dataOf<ShownKey>(generated, 201);
    const key = await storage.get(one.id, "apiKey", id);
    const keys = dataOf<ShownKey[]>(revoked);
    assert.equal(
      key?.revokedAt !== null,
      keys.some((each) => each.id === id),
    );
    for (const each of keys) assert.equal(each.status, "revoked");
  }
});
