import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith, type ShownKey } from "../../support/admin.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);

async function open(t: TestContext) {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const post = (path: string, body: object) => admin("POST", `/admin/${path}`, { body });
  return { ...crm, admin, post };
}

const kinds = [
  {
    ...{ path: "integrations", field: "name", noun: "an integration", same: " Ｎews  letter" },
    body: { name: "News Letter", scopes: [] },
    other: { name: "Shop" },
  },
  {
    ...{ path: "stages", field: "name", noun: "a stage", same: "news letter" },
    body: { pipelineId: one.pipeline, name: "News Letter", order: 7 },
    other: { name: "Shop" },
  },
  {
    ...{ path: "custom-fields", field: "key", noun: "a custom field", same: "NewsLetter" },
    body: { entity: "account", key: "newsletter", label: "News", type: "text" },
    other: { entity: "contact" },
  },
];

for (const { path, field, noun, same, body, other } of kinds) {
  test(`/admin/${path} returns 409 duplicate for a ${field} that is in use`, async (t) => {
    const { admin, post } = await open(t);
    const { id } = dataOf(await post(path, body), 201);
    const again = { ...body, [field]: same };
    const rejected = await post(path, again);
    assert.equal(verdict(rejected), "409 duplicate");
    assert.deepEqual(errorOf(rejected).details, { existingId: id, field });
    assert.match(errorOf(rejected).message, new RegExp(`^There is already ${noun} with this ${field}`));
    const dry = await admin("POST", `/admin/${path}`, { body: again, headers: { prefer: "dry-run" } });
    assert.equal(verdict(dry), "409 duplicate");
    const second = dataOf(await post(path, { ...again, ...other }), 201).id;
    if (field === "name") {
      const renamed = await admin("PATCH", `/admin/${path}/${second}`, { body: { [field]: same } });
      assert.deepEqual(errorOf(renamed).details, { existingId: id, field });
    }
    assert.equal((await admin("DELETE", `/admin/${path}/${id}`)).status, 204);
    const successor = dataOf(await post(path, again), 201).id;
    const restored = await admin("POST", `/admin/${path}/${id}/restore`);
    assert.deepEqual([verdict(restored), errorOf(restored).details?.existingId], ["409 duplicate", successor]);
  });

  test(`one of several concurrent requests to /admin/${path} with the same ${field} succeeds`, async (t) => {
    const { post } = await open(t);
    const results = await Promise.all([1, 2, 3].map(() => post(path, body)));
    assert.deepEqual(results.map(verdict).toSorted(), ["201", "409 duplicate", "409 duplicate"]);
  });
}

test("a restored integration can take another name", async (t) => {
  const { admin, post } = await open(t);
  const { id } = dataOf(await post("integrations", { name: "Shop" }), 201);
  await admin("DELETE", `/admin/integrations/${id}`);
  await post("integrations", { name: "Shop" });
  const restored = await admin("POST", `/admin/integrations/${id}/restore`, { body: { name: "Shop 2" } });
  assert.equal(dataOf<{ name: string }>(restored).name, "Shop 2");
});

test("POST /admin/pipelines returns 422 for two stages with the same name", async (t) => {
  const { post } = await open(t);
  const stages = [{ name: "Offer" }, { name: "Won" }, { name: "OFFER" }];
  const rejected = await post("pipelines", { name: "Service", stages });
  assert.equal(verdict(rejected), "422 validation_error: /stages/2/name not_an_option");
  assert.equal(verdict(await post("pipelines", { name: "Service", stages: stages.slice(1) })), "201");
});

test("creating an integration while a key is generated for its name creates one integration", async (t) => {
  const { admin, post, storage } = await open(t);
  for (let round = 0; round < 10; round++) {
    const name = `Shop ${round}`;
    const [key, integration] = await Promise.all([
      admin("POST", "/api-key/generate", { body: { name, scopes: ["tasks:read"] } }),
      post("integrations", { name, scopes: ["tasks:read"] }),
    ]);
    const { integrationId } = dataOf<ShownKey & { integrationId: string }>(key, 201);
    assert.ok(["201", "409 duplicate"].includes(verdict(integration)), integration.text);
    const named = (await storage.list(one.id, "integration", {})).filter((each) => each.name === name);
    assert.deepEqual(
      named.map(({ id }) => id),
      [integrationId],
    );
  }
});
