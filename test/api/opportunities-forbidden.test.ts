import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, openCrm, sales, service, unknown, verdict } from "../support/crm.ts";

const rules = [
  { entity: "opportunity", field: "amount", when: { statuses: ["won"] } },
  { entity: "opportunity", field: "expectedCloseDate", when: { statuses: ["lost"] } },
  { entity: "opportunity", field: "externalId", when: { stageIds: [sales.offer] } },
];
const { call, create, read } = await openCrm({ "/rules": rules });

test("a change of state that is forbidden asks for nothing of the state that is not come to", async () => {
  const lost = await create("/opportunities", {
    name: "Lost",
    status: "lost",
    lostReason: "Price",
    expectedCloseDate: "2026-05-01",
  });
  const won = await create("/opportunities", { name: "Won", status: "won", amount: 5, currency: "EUR" });
  const cases = [
    [lost, { status: "won" }],
    [lost, { status: "won", lostReason: null }],
    [won, { status: "lost" }],
    [won, { status: "lost", lostReason: "Weather" }],
  ] as const;
  for (const [before, body] of cases) {
    const refused = await call("PATCH", `/opportunities/${before.id}`, body);
    assert.deepEqual([refused.status, errorOf(refused).details?.reason], [409, "status_transition"], refused.text);
    const strange = await call("PATCH", `/opportunities/${before.id}`, { ...body, accountId: unknown });
    assert.equal(verdict(strange), "422 invalid_reference: /accountId not_found");
    assert.deepEqual(await read(`/opportunities/${before.id}`), before);
  }
});

test("a stage change of a closed opportunity doesn't report fields that the stage requires", async () => {
  const won = await create("/opportunities", { name: "Won", status: "won", amount: 5, currency: "EUR" });
  for (const body of [
    { stageId: sales.offer },
    { stageId: sales.offer, status: "open" },
    { stageId: sales.offer, pipelineId: sales.id },
  ]) {
    const refused = await call("PATCH", `/opportunities/${won.id}`, body);
    assert.equal(verdict(refused), "409 conflict", refused.text);
    const strange = await call("PATCH", `/opportunities/${won.id}`, { ...body, stageId: unknown });
    assert.equal(verdict(strange), "422 invalid_reference: /stageId not_found");
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
  for (const [problems, place] of Object.entries(cases)) {
    const body = { name: "Sale", status: "open", lostReason: "Price", ...place };
    assert.equal(verdict(await call("POST", "/opportunities", body)), problems);
  }
});

test("without a pipeline, other errors are reported first", async () => {
  const other = await openCrm({ "/pipelines": [], "/opportunities": [], "/rules": [] });
  const body = { name: "Sale", accountId: unknown, customFields: { nope: 1 } };
  const refused = await other.call("POST", "/opportunities", body);
  assert.equal(verdict(refused), "422 invalid_reference: /accountId not_found, /customFields/nope unknown_key");
  const left = await other.call("POST", "/opportunities", { name: "Sale" });
  assert.deepEqual([left.status, errorOf(left).details?.reason], [409, "no_pipeline"]);
});
