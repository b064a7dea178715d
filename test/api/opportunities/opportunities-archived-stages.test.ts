import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
type Stage = { readonly id: string; readonly name: string };

/** Returns a tenant with the pipeline "Service" of the stages A, B and C, and ways to send requests. */
async function open(t: TestContext) {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const call = (method: string, path: string, body?: unknown) => crm.send(method, path, { key: one.key, body });
  const stages = [{ name: "A" }, { name: "B" }, { name: "C" }];
  const { id } = dataOf(await admin("POST", "/admin/pipelines", { body: { name: "Service", stages } }), 201);
  const created = dataOf<Stage[]>(await admin("GET", `/admin/stages?pipelineId=${id}`));
  const idOf = (name: string) => String(created.find((each) => each.name === name)?.id);
  const createIn = async (stageId: string, values = {}) =>
    dataOf(await call("POST", "/opportunities", { name: "Sale", stageId, ...values }), 201).id;
  const archive = async (path: string) => assert.equal((await admin("DELETE", `/admin/${path}`)).status, 204);
  return { ...crm, admin, call, createIn, archive, service: { id, a: idOf("A"), b: idOf("B"), c: idOf("C") } };
}

const allowedIn = (result: Parameters<typeof errorOf>[0]) => errorOf(result).details?.errors?.[0]?.allowed?.toSorted();

test("PATCH returns 422 with the other stages if it reopens an opportunity in an archived stage", async (t) => {
  const { call, createIn, archive, service } = await open(t);
  const id = await createIn(service.b, { status: "won" });
  await archive(`stages/${service.b}`);
  for (const body of [{ status: "open" }, { status: "open", stageId: service.b, pipelineId: service.id }]) {
    const rejected = await call("PATCH", `/opportunities/${id}`, body);
    assert.equal(verdict(rejected), "422 invalid_reference: /stageId not_found");
    assert.deepEqual(allowedIn(rejected), [service.a, service.c].toSorted());
    assert.match(String(errorOf(rejected).details?.errors?.[0]?.message), /stage "B" is archived.*: A, C\./);
  }
  assert.equal(verdict(await call("PATCH", `/opportunities/${id}`, { name: "Renamed", status: "lost" })), "200");
  const moved = dataOf<{ stageId: string }>(
    await call("PATCH", `/opportunities/${id}`, { status: "open", stageId: service.c }),
  );
  assert.equal(moved.stageId, service.c);
});

test("PATCH returns 422 with the stages of other pipelines if it reopens an opportunity in an archived pipeline", async (t) => {
  const { call, createIn, archive, service } = await open(t);
  const id = await createIn(service.b, { status: "won" });
  await archive(`pipelines/${service.id}`);
  const rejected = await call("PATCH", `/opportunities/${id}`, { status: "open" });
  assert.equal(verdict(rejected), "422 invalid_reference: /stageId not_found");
  const allowed = allowedIn(rejected) ?? [];
  assert.ok(allowed.includes(one.stage) && !allowed.includes(service.a));
  for (const stageId of allowed)
    assert.equal(verdict(await call("PATCH", `/opportunities/${id}`, { status: "open", stageId })), "200");
});

test("POST /opportunities/{id}/restore returns 422 in an archived stage, and takes another stageId", async (t) => {
  const { call, createIn, archive, service } = await open(t);
  const id = await createIn(service.b);
  await call("DELETE", `/opportunities/${id}`);
  await archive(`stages/${service.b}`);
  const restore = (body?: unknown) => call("POST", `/opportunities/${id}/restore`, body);
  const rejected = await restore();
  assert.equal(verdict(rejected), "422 invalid_reference: /stageId not_found");
  assert.deepEqual(allowedIn(rejected), [service.a, service.c].toSorted());
  assert.equal(verdict(await call("GET", `/opportunities/${id}`)), "404 not_found");
  const restored = dataOf<{ stageId: string }>(await restore({ stageId: service.a }));
  assert.equal(restored.stageId, service.a);
  assert.deepEqual(dataOf(await call("GET", `/opportunities/${id}`)), restored);
});

test("POST /opportunities/{id}/restore keeps a closed opportunity in an archived stage or pipeline", async (t) => {
  const { call, createIn, archive, service } = await open(t);
  const id = await createIn(service.b, { status: "won" });
  await call("DELETE", `/opportunities/${id}`);
  await archive(`stages/${service.b}`);
  await archive(`pipelines/${service.id}`);
  const restored = dataOf<{ stageId: string; status: string }>(await call("POST", `/opportunities/${id}/restore`));
  assert.deepEqual([restored.stageId, restored.status], [service.b, "won"]);
});

test("POST /opportunities returns 422 with the possible stages for a stage of an archived pipeline", async (t) => {
  const { call, archive, service } = await open(t);
  await archive(`pipelines/${service.id}`);
  const rejected = await call("POST", "/opportunities", { name: "Sale", stageId: service.a });
  assert.equal(verdict(rejected), "422 invalid_reference: /stageId not_found");
  assert.ok(allowedIn(rejected)?.includes(one.stage));
});

test("POST …/restore changes fields at the same time, such as a name that is in use", async (t) => {
  const { call } = await open(t);
  const { id } = dataOf(await call("POST", "/accounts", { name: "Fika" }), 201);
  await call("DELETE", `/accounts/${id}`);
  await call("POST", "/accounts", { name: "FIKA" });
  const restore = (body?: unknown) => call("POST", `/accounts/${id}/restore`, body);
  assert.equal(verdict(await restore()), "409 duplicate");
  assert.equal(
    verdict(await restore({ nam: "x", phone: 1 })),
    "400 validation_error: /nam unknown_key, /phone invalid_type",
  );
  assert.equal(
    verdict(await restore({ createdAt: "2020-01-01T00:00:00Z" })),
    "400 validation_error: /createdAt read_only",
  );
  assert.equal(verdict(await restore({ name: "Fika 2", updatedAt: "2020-01-01T00:00:00Z" })), "409 conflict");
  const restored = dataOf<{ name: string; updatedAt: string }>(await restore({ name: "Fika 2" }));
  assert.equal(restored.name, "Fika 2");
  assert.deepEqual(dataOf(await restore()), restored);
});
