import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, openCrm, sales, service, unknown, verdict } from "../../support/crm.ts";

const rules = [
  { entity: "opportunity", field: "amount", when: { statuses: ["won"] } },
  { entity: "opportunity", field: "expectedCloseDate", when: { statuses: ["lost"] } },
  { entity: "opportunity", field: "externalId", when: { stageIds: [sales.offer] } },
];
const { call, create, read } = await openCrm({ "/rules": rules });

test("PATCH between won and lost checks the rules of the new status", async () => {
  const lost = await create("/opportunities", {
    name: "Lost",
    status: "lost",
    lostReason: "Price",
    expectedCloseDate: "2026-05-01",
  });
  const won = await create("/opportunities", { name: "Won", status: "won", amount: 5, currency: "EUR" });
  const toWon = await call("PATCH", `/opportunities/${lost.id}`, { status: "won" });
  assert.equal(verdict(toWon), "422 validation_error: /amount required_at_status");
  const toLost = await call("PATCH", `/opportunities/${won.id}`, { status: "lost", lostReason: "Weather" });
  const problems = "/expectedCloseDate required_at_status, /lostReason not_an_option";
  assert.equal(verdict(toLost), `422 validation_error: ${problems}`);
  for (const before of [lost, won]) assert.deepEqual(await read(`/opportunities/${before.id}`), before);
  const changed = dataOf(await call("PATCH", `/opportunities/${lost.id}`, { status: "won", amount: 5 }));
  assert.deepEqual([changed.status, changed.lostReason, changed.closedAt], ["won", null, changed.updatedAt]);
});

test("a stage change of a closed opportunity doesn't report fields that the stage requires", async () => {
  const won = await create("/opportunities", { name: "Won", status: "won", amount: 5, currency: "EUR" });
  for (const body of [
    { stageId: sales.offer },
    { stageId: sales.offer, status: "lost" },
    { stageId: sales.offer, pipelineId: sales.id },
  ]) {
    const rejected = await call("PATCH", `/opportunities/${won.id}`, body);
    assert.equal(verdict(rejected), "409 conflict", rejected.text);
    const invalid = await call("PATCH", `/opportunities/${won.id}`, { ...body, stageId: unknown });
    assert.equal(verdict(invalid), "422 invalid_reference: /stageId not_found");
  }
  assert.deepEqual(await read(`/opportunities/${won.id}`), won);
});

test("lostReason without status lost is reported together with an invalid stage", async () => {
  const cases = {
    "422 invalid_reference: /stageId not_found, /lostReason not_an_option": { stageId: unknown },
    "422 invalid_reference: /stageId not_in_pipeline, /lostReason not_an_option": {
      stageId: sales.lead,
      pipelineId: service.id,
    },
  };
  for (const [problems, target] of Object.entries(cases)) {
    const body = { name: "Sale", status: "open", lostReason: "Price", ...target };
    assert.equal(verdict(await call("POST", "/opportunities", body)), problems);
  }
});

test("without a pipeline, other errors are reported first", async () => {
  const other = await openCrm({ "/pipelines": [], "/opportunities": [], "/rules": [] });
  const body = { name: "Sale", accountId: unknown, customFields: { nope: 1 } };
  const rejected = await other.call("POST", "/opportunities", body);
  assert.equal(verdict(rejected), "422 invalid_reference: /accountId not_found, /customFields/nope unknown_key");
  const left = await other.call("POST", "/opportunities", { name: "Sale" });
  assert.deepEqual([left.status, errorOf(left).details?.reason], [409, "no_pipeline"]);
});

test("POST /opportunities returns 409 no_pipeline for a tenant without pipelines", async () => {
  const { call } = await openCrm({ "/pipelines": [], "/opportunities": [], "/rules": [] });
  const rejected = await call("POST", "/opportunities", { name: "Sale" });
  assert.equal(rejected.status, 409);
  assert.equal(errorOf(rejected).details?.reason, "no_pipeline");
});
