import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import type { Result } from "../../support/harness.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);

async function open(t: TestContext) {
  const crm = await crmWith(t, [tenantFile(one), tenantFile(two)]);
  return {
    ...crm,
    admin: adminOf(crm, one.id, one.admin),
    member: adminOf(crm, one.id, one.member),
    other: adminOf(crm, two.id, two.admin),
  };
}

type Data = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };
function dataOf({ status, body, text }: Result, expected = 200): Data {
  assert.equal(status, expected, text);
  return (body as { data: Data }).data;
}
function errorOf({ status, body }: Result): Readonly<Record<string, unknown>> {
  const { code, details } = (body as { error: { code: string; details?: Record<string, unknown> } }).error;
  return { status, code, ...details };
}
const codesOf = ({ status, body }: Result) => {
  const { details } = (body as { error: { details: { errors: { path: string; code: string }[] } } }).error;
  return [status, ...details.errors.map(({ path, code }) => `${path} ${code}`)];
};

const creations: Readonly<Record<string, readonly [body: Record<string, unknown>, change: Record<string, unknown>]>> = {
  users: [{ name: "Ida", email: "ida@tenant.test" }, { externalId: "HR-1" }],
  pipelines: [
    { name: "Service", stages: [{ name: "Offer" }, { name: "Won", order: 7, probability: 90 }] },
    { name: "S" },
  ],
  "custom-fields": [
    { entity: "contact", key: "newsletter", label: "News", type: "list", options: ["a", "b"] },
    { options: ["b", "c"], optionLabels: { c: "C" } },
  ],
  rules: [{ entity: "account", field: "phone" }, { field: "website" }],
  integrations: [{ name: "News", scopes: ["tasks:read"] }, { scopes: [] }],
  grants: [{ userId: one.member }, { userId: one.admin }],
};

for (const [path, [body, change]] of Object.entries(creations)) {
  test(`/admin/${path} creates, reads, changes, archives and restores`, async (t) => {
    const { admin, member, other, send } = await open(t);
    const url = `/admin/${path}`;
    const total = async () => (dataOf(await admin("GET", url)) as unknown as Data[]).length;
    const before = await total();
    const dry = await admin("POST", url, { body, headers: { prefer: "dry-run" } });
    assert.deepEqual([dry.status, await total()], [201, before]);
    const headers = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
    const created = await admin("POST", url, { body, headers });
    const replayed = await admin("POST", url, { body, headers });
    assert.deepEqual([created.text, await total()], [replayed.text, before + 1]);
    const { id, updatedAt } = dataOf(created, 201);
    assert.deepEqual(dataOf(await admin("GET", `${url}/${id}`)), dataOf(created, 201));
    const stale = await admin("PATCH", `${url}/${id}`, { body: change, headers: { "if-match": '"x"' } });
    assert.deepEqual([stale.status, errorOf(stale).reason], [412, "stale"]);
    const old = await admin("PATCH", `${url}/${id}`, { body: { updatedAt: "2020-01-01T00:00:00.000Z" } });
    assert.deepEqual([old.status, errorOf(old).reason], [409, "stale"]);
    const changed = dataOf(await admin("PATCH", `${url}/${id}`, { body: { ...change, updatedAt } }));
    for (const [name, value] of Object.entries(change)) assert.deepEqual(changed[name], value);
    assert.equal((await other("GET", `${url}/${id}`)).status, 404);
    assert.equal((await other("PATCH", `${url}/${id}`, { body: change })).status, 404);
    assert.equal((await other("DELETE", `${url}/${id}`)).status, 404);
    assert.equal((await member("POST", url, { body })).status, 403);
    assert.equal((await send("GET", `http://crm.test/integrations${url}`, { key: one.key })).status, 401);
    assert.equal((await admin("DELETE", `${url}/${id}`)).status, 204);
    assert.equal((await admin("GET", `${url}/${id}`)).status, 404);
    assert.equal(await total(), before);
    assert.equal(dataOf(await admin("POST", `${url}/${id}/restore`)).id, id);
    assert.equal(await total(), before + 1);
  });
}

test("POST /admin/pipelines creates a pipeline that opportunities can use at once", async (t) => {
  const { admin, send } = await open(t);
  const { id } = dataOf(await admin("POST", "/admin/pipelines", { body: creations.pipelines?.[0] }), 201);
  const stages = dataOf(await admin("GET", `/admin/stages?pipelineId=${id}`)) as unknown as Data[];
  assert.deepEqual(
    stages
      .map(({ name, order, probability }) => [name, order, probability])
      .sort((a, b) => Number(a[1]) - Number(b[1])),
    [
      ["Offer", 1, null],
      ["Won", 7, 90],
    ],
  );
  const [stage] = stages;
  const opportunity = dataOf(
    await send("POST", "/opportunities", { key: one.key, body: { name: "A", pipelineId: id, stageId: stage?.id } }),
    201,
  );
  for (const [kind, path] of [
    ["pipeline", `/admin/pipelines/${id}`],
    ["stage", `/admin/stages/${stage?.id}`],
  ] as const) {
    assert.deepEqual(
      errorOf(await admin("DELETE", path)),
      { status: 409, code: "conflict", reason: "in_use", count: 1 },
      kind,
    );
  }
  await send("DELETE", `/opportunities/${opportunity.id}`, { key: one.key });
  assert.equal((await admin("DELETE", `/admin/stages/${stage?.id}`)).status, 204);
  assert.equal((await admin("DELETE", `/admin/pipelines/${id}`)).status, 204);
});

test("POST /admin/custom-fields returns 422 with every error of its options", async (t) => {
  const { admin } = await open(t);
  const field = { entity: "contact", key: "k", label: "K" };
  const create = (body: object) => admin("POST", "/admin/custom-fields", { body: { ...field, ...body } });
  assert.deepEqual(codesOf(await create({ type: "list", maxLength: 3 })), [
    422,
    "/maxLength unknown_key",
    "/options required",
  ]);
  const twice = { type: "list", options: ["a", "A"], optionLabels: { b: "B" } };
  assert.deepEqual(codesOf(await create(twice)), [422, "/options/1 not_an_option", "/optionLabels/b not_an_option"]);
});

test("POST /admin/custom-fields returns 400 for an option label that isn't a short text", async (t) => {
  const { admin } = await open(t);
  for (const label of ["", " ", "x\u0000", "x".repeat(256), 7]) {
    const field = { entity: "contact", key: "k", label: "K", type: "list", options: ["a"] };
    const rejected = await admin("POST", "/admin/custom-fields", { body: { ...field, optionLabels: { a: label } } });
    assert.deepEqual(codesOf(rejected), [400, "/optionLabels invalid_type"], JSON.stringify(label));
  }
});

test("POST /admin/custom-fields returns 409 duplicate once the entity has the key", async (t) => {
  const { admin } = await open(t);
  const body = { entity: "contact", key: "k", label: "K", type: "text" };
  const results = await Promise.all([1, 2, 3].map(() => admin("POST", "/admin/custom-fields", { body })));
  assert.deepEqual(results.map(({ status }) => status).sort(), [201, 409, 409]);
  const { id } = dataOf(results.find(({ status }) => status === 201) as Result, 201);
  await admin("DELETE", `/admin/custom-fields/${id}`);
  assert.equal((await admin("POST", "/admin/custom-fields", { body })).status, 201);
  const restored = errorOf(await admin("POST", `/admin/custom-fields/${id}/restore`));
  assert.deepEqual([restored.status, restored.code, restored.field], [409, "duplicate", "key"]);
  assert.equal((await admin("POST", "/admin/custom-fields", { body: { ...body, entity: "account" } })).status, 201);
});

test("PATCH /admin/custom-fields/{id} accepts key, type and entity only unchanged", async (t) => {
  const { admin } = await open(t);
  const body = { entity: "contact", key: "k", type: "list", options: ["a", "b"] };
  const labels = { label: "K", optionLabels: { a: "A", b: "B" } };
  const { id } = dataOf(await admin("POST", "/admin/custom-fields", { body: { ...body, ...labels } }), 201);
  const change = (changes: object) => admin("PATCH", `/admin/custom-fields/${id}`, { body: changes });
  const fixed = { entity: "account", key: "x", type: "multi_list" };
  assert.deepEqual(codesOf(await change(fixed)), [400, "/entity read_only", "/key read_only", "/type read_only"]);
  const changed = dataOf(await change({ ...body, options: ["b", "c"] }));
  assert.deepEqual([changed.options, changed.optionLabels], [["b", "c"], { b: "B" }]);
});

test("POST /admin/rules returns 422 for an unknown field and stage", async (t) => {
  const { admin } = await open(t);
  const create = (body: object) => admin("POST", "/admin/rules", { body });
  assert.deepEqual(codesOf(await create({ entity: "account", field: "nonsense" })), [422, "/field not_found"]);
  assert.deepEqual(codesOf(await create({ entity: "account", field: "customFields.nonsense" })), [
    422,
    "/field not_found",
  ]);
  assert.deepEqual(codesOf(await create({ entity: "account", field: "id" })), [422, "/field not_found"]);
  const when = { stageIds: [two.admin], statuses: [] };
  const opportunity = { entity: "opportunity", field: "amount", when };
  assert.deepEqual(codesOf(await create(opportunity)), [422, "/when/statuses required", "/when/stageIds/0 not_found"]);
});

test("the last active admin can't be archived, disabled or demoted", async (t) => {
  const { admin } = await open(t);
  const url = `/admin/users/${one.admin}`;
  const rejected = { status: 409, code: "tenant_without_admin" };
  assert.deepEqual(errorOf(await admin("PATCH", url, { body: { active: false } })), rejected);
  assert.deepEqual(errorOf(await admin("PATCH", url, { body: { role: "member" } })), rejected);
  assert.deepEqual(errorOf(await admin("DELETE", url)), rejected);
  assert.equal((await admin("PATCH", url, { body: { name: "Anna" } })).status, 200);
});

test("two admins who disable each other at once leave one", async (t) => {
  const { admin, storage, ...crm } = await open(t);
  const body = { name: "Ida", email: "ida@tenant.test", role: "admin" };
  const { id } = dataOf(await admin("POST", "/admin/users", { body }), 201);
  const second = adminOf({ ...crm, storage }, one.id, id);
  const results = await Promise.all([
    admin("PATCH", `/admin/users/${id}`, { body: { active: false } }),
    second("DELETE", `/admin/users/${one.admin}`),
  ]);
  assert.equal(results.filter(({ status }) => status < 300).length, 1);
  assert.equal((await storage.list(one.id, "user", { where: { role: "admin", active: true } })).length, 1);
});

test("a pipeline that becomes the default ends the default of the others", async (t) => {
  const { admin } = await open(t);
  const defaults = async () =>
    (dataOf(await admin("GET", "/admin/pipelines")) as unknown as Data[]).filter((each) => each.isDefault);
  const [first] = await defaults();
  const body = { name: "Service", stages: [{ name: "Offer" }], isDefault: true };
  const results = await Promise.all([1, 2].map(() => admin("POST", "/admin/pipelines", { body })));
  const created = results.map((result) => dataOf(result, 201).id);
  const [last, ...more] = await defaults();
  assert.deepEqual([created.includes(String(last?.id)), more], [true, []]);
  assert.equal(
    dataOf(await admin("PATCH", `/admin/pipelines/${first?.id}`, { body: { isDefault: true } })).isDefault,
    true,
  );
  assert.deepEqual(
    (await defaults()).map(({ id }) => id),
    [first?.id],
  );
  await admin("PATCH", `/admin/pipelines/${last?.id}`, { body: { isDefault: true } });
  assert.equal((await admin("DELETE", `/admin/pipelines/${last?.id}`)).status, 204);
  await admin("PATCH", `/admin/pipelines/${first?.id}`, { body: { isDefault: true } });
  assert.equal((await admin("POST", `/admin/pipelines/${last?.id}/restore`)).status, 200);
  assert.deepEqual(
    (await defaults()).map(({ id }) => id),
    [last?.id],
  );
});

test("POST /admin/pipelines returns 400 without a stage and with more than 100", async (t) => {
  const { admin } = await open(t);
  const create = (stages: unknown) => admin("POST", "/admin/pipelines", { body: { name: "Service", stages } });
  const many = Array.from({ length: 101 }, (_, index) => ({ name: `Stage ${index}` }));
  for (const [stages, expected] of [
    [[], "/stages required"],
    [undefined, "/stages required"],
    [{}, "/stages invalid_type"],
    [many, "/stages out_of_range"],
  ] as const) {
    assert.deepEqual(codesOf(await create(stages)), [400, expected]);
  }
  assert.equal((await create(many.slice(1))).status, 201);
});
