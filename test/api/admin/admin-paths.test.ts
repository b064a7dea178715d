import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const origin = "http://crm.test";
const unknownId = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

async function openCrm(t: TestContext) {
  const crm = await crmWith(t, [tenantFile(one)]);
  return { crm, send: adminOf(crm, one.id, one.admin) };
}

for (const prefix of ["", "/eu", "/eu/gateway", "/integrations", "/v1", "/integrations/v10"]) {
  test(`admin endpoints are served at ${prefix}/integrations/api-key`, async (t) => {
    const { send } = await openCrm(t);
    const base = `${origin}${prefix}/integrations/api-key`;
    assert.equal(verdict(await send("GET", base)), "200");
    assert.equal(verdict(await send("POST", `${base}/generate`, { body: { rotate: true } })), "201");
    assert.equal(verdict(await send("DELETE", base)), "405 bad_request");
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
    const { crm, send } = await openCrm(t);
    const keys = await crm.storage.list(one.id, "apiKey", { includeArchived: true });
    const base = `${origin}${prefix}/integrations/api-key`;
    assert.equal(verdict(await send("GET", base)), "404 not_found");
    assert.equal(verdict(await send("DELETE", base)), "404 not_found");
    assert.equal(verdict(await send("POST", `${base}/generate`)), "404 not_found");
    assert.equal(verdict(await send("POST", `${base}/${keys[0]?.id}/revoke`)), "404 not_found");
    assert.deepEqual(await crm.storage.list(one.id, "apiKey", { includeArchived: true }), keys);
  });
}

test("admin endpoints return 404 not_found under /integrations/v1", async (t) => {
  const { send } = await openCrm(t);
  for (const path of ["/v1/api-key", "/v1/api-key/generate"])
    assert.equal(verdict(await send("POST", path)), "404 not_found");
});
