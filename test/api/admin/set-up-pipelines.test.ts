import assert from "node:assert/strict";
import { test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { dataOf } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
type Pipeline = { readonly id: string; readonly isDefault: boolean };

test("a pipeline that becomes the default ends the default of the others", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const defaults = async () =>
    dataOf<Pipeline[]>(await admin("GET", "/admin/pipelines")).filter((each) => each.isDefault);
  const [first] = await defaults();
  const body = { name: "Service", stages: [{ name: "Offer" }], isDefault: true };
  const results = await Promise.all([1, 2].map(() => admin("POST", "/admin/pipelines", { body })));
  const created = results.map((result) => dataOf<Pipeline>(result, 201).id);
  const [last, ...more] = await defaults();
  assert.deepEqual([created.includes(String(last?.id)), more], [true, []]);
  assert.equal(
    dataOf<Pipeline>(await admin("PATCH", `/admin/pipelines/${first?.id}`, { body: { isDefault: true } })).isDefault,
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
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const create = (stages: unknown) => admin("POST", "/admin/pipelines", { body: { name: "Service", stages } });
  const many = Array.from({ length: 101 }, (_, index) => ({ name: `Stage ${index}` }));
  for (const [stages, expected] of [
    [[], "/stages required"],
    [undefined, "/stages required"],
    [{}, "/stages invalid_type"],
    [many, "/stages out_of_range"],
  ] as const) {
    const { status, body } = await create(stages);
    const { details } = (body as { error: { details: { errors: { path: string; code: string }[] } } }).error;
    assert.deepEqual([status, ...details.errors.map(({ path, code }) => `${path} ${code}`)], [400, expected]);
  }
  assert.equal((await create(many.slice(1))).status, 201);
});
