import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { scopes } from "../../../lib/model/integration.ts";
import { adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const january = "2026-01-05T08:00:00.000Z";
const february = "2026-02-05T08:00:00.000Z";
const websiteId = "0195abcd-0000-7000-9008-00000000000f";

const erp = {
  id: one.integration,
  name: "ERP",
  scopes: ["tasks:read", "tasks:write"],
  createdAt: january,
  keys: [{ key: one.key }],
};
const website = { id: websiteId, name: "Web  Straße", scopes: ["contacts:write"], createdAt: february, keys: [] };

async function openCrm(t: TestContext, integrations: readonly unknown[] = [erp, website]) {
  const crm = await crmWith(t, [{ ...tenantFile(one), integrations }]);
  const send = adminOf(crm, one.id, one.admin);
  return {
    ...crm,
    generate: (body?: unknown, headers?: Record<string, string>): Promise<Result> =>
      send("POST", "/api-key/generate", { body: body ?? {}, ...(headers && { headers }) }),
    listKeys: async () => dataOf<ShownKey[]>(await send("GET", "/api-key")),
    listIntegrations: () => crm.storage.list(one.id, "integration", { includeArchived: true }),
  };
}

test("POST /api-key/generate creates the integration of a new name and leaves the first one unchanged", async (t) => {
  const { generate, listIntegrations, send } = await openCrm(t);
  const made = dataOf<ShownKey>(await generate({ name: "Shop", scopes: ["contacts:read"] }), 201);
  assert.deepEqual([made.integrationName, made.scopes], ["Shop", ["contacts:read"]]);
  const scopesOf = async (key: string) => dataOf<Record<string, unknown>>(await send("GET", "/me", { key })).scopes;
  assert.deepEqual(await scopesOf(made.key), ["contacts:read"]);
  assert.deepEqual(await scopesOf(one.key), erp.scopes);
  assert.deepEqual(
    (await listIntegrations()).map((integration) => [integration.name, integration.scopes]),
    [
      ["ERP", erp.scopes],
      [website.name, website.scopes],
      ["Shop", ["contacts:read"]],
    ],
  );
});

test("POST /api-key/generate selects an integration by its name, compared as account names are", async (t) => {
  const { generate, listIntegrations } = await openCrm(t);
  for (const name of [" web strasse ", "Ｗeb STRASSE"]) {
    const made = dataOf<ShownKey>(await generate({ name }), 201);
    assert.deepEqual([made.integrationId, made.integrationName], [websiteId, website.name]);
  }
  assert.equal((await listIntegrations()).length, 2);
});

test("POST /api-key/generate requires scopes for every new integration but the tenant's first", async (t) => {
  const { generate, listKeys, listIntegrations } = await openCrm(t);
  const rejected = await generate({ name: "Shop" });
  const message = 'scopes is required: no integration is named "Shop", and a new one needs them.';
  const errors = [{ path: "/scopes", code: "required", message, allowed: [...scopes] }];
  assert.deepEqual(
    [rejected.status, rejected.body],
    [400, { error: { code: "validation_error", message, details: { errors } } }],
  );
  const expiresAt = "2020-01-01T00:00:00Z";
  assert.deepEqual(
    errorOf(await generate({ name: "Shop", expiresAt })).details?.errors?.map(({ path }) => path),
    ["/scopes", "/expiresAt"],
  );
  assert.equal((await listKeys()).length, 1);
  assert.equal((await listIntegrations()).length, 2);
});

test("POST /api-key/generate never repeats more than 100 characters of a new name", async (t) => {
  const { generate } = await openCrm(t);
  const result = await generate({ name: "n".repeat(255) });
  assert.equal(result.status, 400);
  assert.ok(!result.text.includes("n".repeat(101)));
});

for (const [body, name, expected] of [
  [{}, "Integration", scopes],
  [{ name: "Shop" }, "Shop", scopes],
  [{ name: "Shop", scopes: ["tasks:read"] }, "Shop", ["tasks:read"]],
  [{ scopes: [] }, "Integration", []],
] as const) {
  test(`POST /api-key/generate ${JSON.stringify(body)} creates the first integration of a tenant`, async (t) => {
    const gone = { ...website, archivedAt: february };
    const { generate } = await openCrm(t, [gone]);
    const made = dataOf<ShownKey>(await generate(body), 201);
    assert.deepEqual([made.integrationName, made.scopes], [name, expected]);
  });
}

for (const body of [
  { scopes: ["tasks:read"] },
  { scopes: [] },
  { name: "erp", scopes: ["contacts:write"] },
  { integrationId: one.integration, scopes: [...erp.scopes, "users:read"], rotate: true },
]) {
  test(`POST /api-key/generate ${JSON.stringify(body)} returns 409 scopes_differ and changes nothing`, async (t) => {
    const { generate, listKeys, listIntegrations } = await openCrm(t);
    const before = [await listKeys(), await listIntegrations()];
    const result = await generate(body, { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" });
    const message =
      'The integration "ERP" has other scopes: tasks:read, tasks:write. Leave out scopes to keep them, or send the name of another integration.';
    const details = { reason: "scopes_differ", allowed: ["tasks:read", "tasks:write"] };
    assert.deepEqual([result.status, errorOf(result)], [409, { code: "conflict", message, details }]);
    assert.deepEqual([await listKeys(), await listIntegrations()], before);
  });
}

test("POST /api-key/generate accepts the integration's own scopes in any order and repeated", async (t) => {
  const { generate } = await openCrm(t);
  const made = dataOf<ShownKey>(await generate({ scopes: ["tasks:write", "tasks:read", "tasks:write"] }), 201);
  assert.deepEqual(made.scopes, erp.scopes);
});

test("POST /api-key/generate returns 409 name_differs for an integrationId with another integration's name", async (t) => {
  const { generate, listIntegrations } = await openCrm(t);
  const before = await listIntegrations();
  for (const name of ["Shop", website.name]) {
    const result = await generate({ integrationId: one.integration, name });
    const message =
      'The integration of this integrationId is named "ERP", and this request can\'t rename it. Send integrationId or name alone.';
    const details = { reason: "name_differs", allowed: ["ERP"] };
    assert.deepEqual([result.status, errorOf(result)], [409, { code: "conflict", message, details }]);
  }
  assert.deepEqual(await listIntegrations(), before);
  const made = await generate({ integrationId: one.integration, name: " erp" });
  assert.equal(dataOf<ShownKey>(made, 201).integrationName, "ERP");
});

test("concurrent POST /api-key/generate requests create one integration per name", async (t) => {
  const { generate, listIntegrations } = await openCrm(t);
  const names = Array.from({ length: 50 }, (_, index) => ["Shop", "SHOP ", "Robot"][index % 3]);
  const results = await Promise.all(names.map((name) => generate({ name, scopes: ["tasks:read"], rotate: true })));
  assert.deepEqual(new Set(results.map(verdict)), new Set(["201"]));
  const created = (await listIntegrations()).slice(2).map(({ name }) => name.trim().toLowerCase());
  assert.deepEqual(created.toSorted(), ["robot", "shop"]);
});

test("concurrent POST /api-key/generate requests without scopes create no second integration", async (t) => {
  const { generate, listIntegrations } = await openCrm(t, []);
  const results = await Promise.all(["Shop", "Robot", "Billing"].map((name) => generate({ name })));
  assert.equal((await listIntegrations()).length, 1);
  assert.equal(results.filter(({ status }) => status === 201).length, 1);
});

test("POST /api-key/generate creates an integration in a copy of a tenant that lacks some of its integrations", async (t) => {
  const first = await openCrm(t);
  const made = dataOf<ShownKey>(await first.generate({ name: "Shop", scopes: ["tasks:read"] }), 201);
  const shop = { id: made.integrationId, name: "Store", scopes: ["tasks:read"], createdAt: january, keys: [] };
  const { generate } = await openCrm(t, [shop, website]);
  const created = dataOf<ShownKey>(await generate({ name: "Shop", scopes: ["tasks:read"] }), 201);
  assert.notEqual(created.integrationId, shop.id);
});
