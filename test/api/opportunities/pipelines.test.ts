import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, service, two, unknown, verdict } from "../../support/crm.ts";

const { call, send } = await openCrm();

const past = "2026-01-05T08:00:00.000Z";
const salesShown = {
  id: sales.id,
  name: "Sales",
  isDefault: true,
  lostReasons: ["Price", "No answer"],
  requireLostReason: true,
  stages: [
    { id: sales.lead, name: "Lead", order: 10, probability: null, requiredFields: [] },
    { id: sales.offer, name: "Offer", order: 20, probability: 50, requiredFields: [] },
    { id: sales.contract, name: "Contract", order: 30, probability: 90.5, requiredFields: [] },
  ],
  createdAt: past,
  updatedAt: past,
};
const serviceShown = {
  id: service.id,
  name: "Service",
  isDefault: false,
  lostReasons: [],
  requireLostReason: false,
  stages: [
    { id: service.survey, name: "Survey", order: 1, probability: 100, requiredFields: [] },
    { id: service.review, name: "Review", order: 2, probability: 0, requiredFields: [] },
  ],
  createdAt: past,
  updatedAt: past,
};

test("GET /pipelines returns all pipelines with their stages in order", async () => {
  const result = await call("GET", "/pipelines");
  assert.equal(result.status, 200);
  assert.deepEqual(result.body, { data: [salesShown, serviceShown] });
  assert.equal(result.headers.get("link"), null);
});

test("GET /pipelines/{id} returns the pipeline of the list", async () => {
  for (const shown of [salesShown, serviceShown]) {
    const result = await call("GET", `/pipelines/${shown.id.toUpperCase()}`);
    assert.equal(result.status, 200);
    assert.deepEqual(result.body, { data: shown });
  }
});

test("GET /pipelines returns only pipelines of the tenant", async () => {
  const [pipeline, ...more] = dataOf<{ id: string }[]>(await send("GET", "/pipelines", { key: two.key }));
  assert.deepEqual([pipeline?.id, more], [two.pipeline, []]);
});

test("GET /pipelines returns no archived pipelines and stages", async () => {
  const crm = await openCrm({ "/pipelines/1/archivedAt": past, "/pipelines/0/stages/1/archivedAt": past });
  const shown = { ...salesShown, stages: salesShown.stages.slice(1) };
  assert.deepEqual((await crm.call("GET", "/pipelines")).body, { data: [shown] });
  assert.deepEqual((await crm.call("GET", `/pipelines/${sales.id}`)).body, { data: shown });
  assert.equal(verdict(await crm.call("GET", `/pipelines/${service.id}`)), "404 not_found");
});

test("of stages with the same position, the one with the lower ID is first, also for a new opportunity", async () => {
  const later = "2026-02-01T08:00:00.000Z";
  const crm = await openCrm({ "/pipelines/0/stages/2/order": 10, "/pipelines/0/stages/1/updatedAt": later });
  const { stages } = dataOf<typeof salesShown>(await crm.call("GET", `/pipelines/${sales.id}`));
  const made = await crm.create("/opportunities", { name: "x" });
  assert.deepEqual([stages[0]?.id, made.stageId], [sales.lead, sales.lead]);
});

test("an unknown, a malformed and another tenant's ID return the same 404", async () => {
  const expected = { error: { code: "not_found", message: "No pipeline with this ID." } };
  for (const id of [unknown, "x", "%20", "__proto__", two.pipeline, sales.lead, one.account]) {
    const result = await call("GET", `/pipelines/${id}`);
    assert.equal(result.status, 404, id);
    assert.deepEqual(result.body, expected);
  }
});

test("pipelines require pipelines:read, and can't be written", async () => {
  const reader = await openCrm({ "/integrations/1/scopes": ["pipelines:read"] });
  assert.equal(verdict(await reader.send("GET", "/pipelines", { key: one.readKey })), "200");
  for (const path of ["/pipelines", `/pipelines/${sales.id}`]) {
    const rejected = await send("GET", path, { key: one.readKey });
    assert.equal(verdict(rejected), "403 insufficient_scope");
    assert.equal(errorOf(rejected).details?.required, "pipelines:read");
  }
  const writes = { POST: "/pipelines", PATCH: `/pipelines/${sales.id}`, DELETE: `/pipelines/${sales.id}` };
  for (const [method, path] of Object.entries(writes)) {
    const rejected = await call(method, path, method === "DELETE" ? undefined : {});
    assert.equal(verdict(rejected), "405 bad_request");
    assert.equal(rejected.headers.get("allow"), "GET, HEAD, OPTIONS");
  }
});

test("GET /pipelines accepts no filter and no page parameter, only tenantId", async () => {
  const rejected = await call("GET", "/pipelines?limit=1&isDefault=true");
  assert.equal(verdict(rejected), "400 validation_error: ?limit unknown_key, ?isDefault unknown_key");
  assert.equal(verdict(await call("GET", `/pipelines?tenantId=${one.id}`)), "200");
});
