import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);

async function open(t: TestContext) {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const create = async (path: string, body: object) => dataOf(await admin("POST", `/admin/${path}`, { body }), 201).id;
  const call = (method: string, path: string, body?: unknown) => crm.send(method, path, { key: one.key, body });
  return { ...crm, admin, create, call };
}

const reasonOf = (result: Result) => [result.status, errorOf(result).code, errorOf(result).details?.reason];
const note = { entity: "contact", key: "remark", label: "Remark", type: "text" };

test("DELETE /admin/custom-fields/{id} returns 409 in_use with the rules that require the field", async (t) => {
  const { admin, create, call } = await open(t);
  const id = await create("custom-fields", note);
  const rule = await create("rules", { entity: "contact", field: "customFields.remark" });
  await create("rules", { entity: "account", field: "phone" });
  const rejected = await admin("DELETE", `/admin/custom-fields/${id}`);
  assert.deepEqual(reasonOf(rejected), [409, "conflict", "in_use"]);
  assert.deepEqual(errorOf(rejected).details?.ids, [rule]);
  assert.match(errorOf(rejected).message, /customFields\.remark.*Archive the rule first/);
  const contact = { name: "Cara", customFields: { remark: "x" } };
  assert.equal(verdict(await call("POST", "/contacts", contact)), "201");
  assert.equal((await admin("DELETE", `/admin/rules/${rule}`)).status, 204);
  assert.equal((await admin("DELETE", `/admin/custom-fields/${id}`)).status, 204);
  const restored = await admin("POST", `/admin/rules/${rule}/restore`);
  assert.equal(verdict(restored), "422 validation_error: /field not_found");
});

test("creating a rule while its field is archived leaves no rule without a field", async (t) => {
  const { admin, create, storage } = await open(t);
  for (let round = 0; round < 10; round++) {
    const key = `remark${round}`;
    const id = await create("custom-fields", { ...note, key });
    const body = { entity: "contact", field: `customFields.${key}` };
    const results = await Promise.all([
      admin("POST", "/admin/rules", { body }),
      admin("DELETE", `/admin/custom-fields/${id}`),
    ]);
    const statuses = results.map(({ status }) => status).join(" ");
    assert.ok(["201 409", "422 204"].includes(statuses), statuses);
    const field = await storage.get(one.id, "customField", id);
    const rules = await storage.list(one.id, "rule", { where: { entity: "contact" } });
    assert.equal(
      field?.archivedAt === null,
      rules.some((rule) => rule.field === body.field),
    );
  }
});

for (const when of [undefined, { stageIds: [one.stage] }, { statuses: ["open", "lost"] }, { statuses: ["won"] }]) {
  test(`POST /admin/rules rejects lostReason ${JSON.stringify(when)}, which no record can satisfy`, async (t) => {
    const { admin, create } = await open(t);
    const body = { entity: "opportunity", field: "lostReason" };
    const rejected = await admin("POST", "/admin/rules", { body: { ...body, when } });
    assert.equal(verdict(rejected), "422 validation_error: /when/statuses not_an_option");
    assert.match(String(errorOf(rejected).details?.errors?.[0]?.message), /"statuses": \["lost"\]/);
    const lost = await create("rules", { ...body, when: { statuses: ["lost"] } });
    const changed = await admin("PATCH", `/admin/rules/${lost}`, { body: { when: when ?? null } });
    assert.equal(verdict(changed), "422 validation_error: /when/statuses not_an_option");
  });
}

test("GET /admin/impact rejects lostReason without the status lost", async (t) => {
  const { admin } = await open(t);
  const path = "/admin/impact?entity=opportunity&field=lostReason";
  assert.equal(verdict(await admin("GET", path)), "422 validation_error: ?statuses not_an_option");
  assert.equal(verdict(await admin("GET", `${path}&statuses=lost`)), "200");
});

test("DELETE /admin/stages/{id} returns 409 last_stage for the only stage of a pipeline", async (t) => {
  const { admin, create } = await open(t);
  const pipelineId = await create("pipelines", { name: "Service", stages: [{ name: "A" }, { name: "B" }] });
  const stages = dataOf<{ id: string }[]>(await admin("GET", `/admin/stages?pipelineId=${pipelineId}`));
  const results = await Promise.all(stages.map(({ id }) => admin("DELETE", `/admin/stages/${id}`)));
  const [rejected, ...others] = results.toSorted((a, b) => b.status - a.status) as [Result, ...Result[]];
  assert.deepEqual(
    others.map(({ status }) => status),
    [204],
  );
  assert.deepEqual(reasonOf(rejected), [409, "conflict", "last_stage"]);
});

test("PATCH /admin/pipelines/{id} returns 409 default_pipeline for isDefault: false of the default pipeline", async (t) => {
  const { admin, create } = await open(t);
  const change = (id: string, isDefault: boolean) => admin("PATCH", `/admin/pipelines/${id}`, { body: { isDefault } });
  const other = await create("pipelines", { name: "Service", stages: [{ name: "A" }] });
  assert.equal((await change(other, false)).status, 200);
  const rejected = await change(one.pipeline, false);
  assert.deepEqual(reasonOf(rejected), [409, "conflict", "default_pipeline"]);
  assert.match(errorOf(rejected).message, /Set isDefault to true in another pipeline/);
  assert.equal((await change(other, true)).status, 200);
  assert.equal((await change(one.pipeline, false)).status, 200);
});

test("a list field without options is rejected", async (t) => {
  const { admin, create } = await open(t);
  for (const type of ["list", "multi_list"]) {
    const body = { ...note, key: type, type };
    const rejected = await admin("POST", "/admin/custom-fields", { body: { ...body, options: [] } });
    assert.equal(verdict(rejected), "422 validation_error: /options required");
    const id = await create("custom-fields", { ...body, options: ["a"] });
    const changed = await admin("PATCH", `/admin/custom-fields/${id}`, { body: { options: [] } });
    assert.equal(verdict(changed), "422 validation_error: /options required");
  }
});

test("the key of an archived custom field stays taken by its type", async (t) => {
  const { admin, create, call } = await open(t);
  const first = await create("custom-fields", note);
  const { id } = dataOf(await call("POST", "/contacts", { name: "Cara", customFields: { remark: "old" } }), 201);
  assert.equal((await admin("DELETE", `/admin/custom-fields/${first}`)).status, 204);
  const again = (body: object) => admin("POST", "/admin/custom-fields", { body: { ...note, ...body } });
  for (const key of ["remark", "Remark"]) {
    const rejected = await again({ key, type: "number" });
    assert.equal(verdict(rejected), "409 duplicate");
    assert.deepEqual(errorOf(rejected).details, { existingId: first, field: "key" });
    assert.match(errorOf(rejected).message, /archived.*of the type text/);
  }
  assert.equal(verdict(await again({ entity: "account", type: "number" })), "201");
  assert.equal(verdict(await again({ label: "Remark 2" })), "201");
  const contact = dataOf<{ customFields: object }>(await call("GET", `/contacts/${id}`));
  assert.deepEqual(contact.customFields, { remark: "old" });
});
