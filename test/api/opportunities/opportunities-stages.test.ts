import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, service, two, unknown, verdict } from "../../support/crm.ts";

const { call, create } = await openCrm();

test("the pipeline follows from the stage, the stage from the pipeline", async () => {
  const stageAfter = async (body: object) => {
    const { pipelineId, stageId } = await create("/opportunities", { name: "Placed", ...body });
    return { pipelineId, stageId };
  };
  const review = { pipelineId: service.id, stageId: service.review };
  assert.deepEqual(await stageAfter({ stageId: service.review }), review);
  assert.deepEqual(await stageAfter({ stageId: service.review.toUpperCase() }), review);
  assert.deepEqual(await stageAfter(review), review);
  assert.deepEqual(await stageAfter({ pipelineId: service.id }), { pipelineId: service.id, stageId: service.survey });
  assert.deepEqual(await stageAfter({ pipelineId: sales.id }), { pipelineId: sales.id, stageId: sales.lead });
});

test("a stage sets the pipeline, and only a move changes stageChangedAt", async () => {
  const before = await create("/opportunities", { name: "Moving" });
  const path = `/opportunities/${before.id}`;
  const renamed = dataOf(await call("PATCH", path, { name: "On the move", stageId: sales.lead }));
  assert.deepEqual(renamed, { ...before, name: "On the move", updatedAt: renamed.updatedAt });
  const within = dataOf(await call("PATCH", path, { stageId: sales.contract }));
  const at = within.updatedAt;
  assert.deepEqual(within, { ...renamed, stageId: sales.contract, stageChangedAt: at, updatedAt: at });
  const over = dataOf(await call("PATCH", path, { stageId: service.review }));
  const there = { pipelineId: service.id, stageId: service.review };
  assert.deepEqual(over, { ...within, ...there, stageChangedAt: over.updatedAt, updatedAt: over.updatedAt });
  const back = dataOf(await call("PATCH", path, { pipelineId: sales.id, stageId: sales.offer }));
  assert.deepEqual([back.pipelineId, back.stageId, back.stageChangedAt], [sales.id, sales.offer, back.updatedAt]);
});

/** Stages and pipelines to which an opportunity can't move from the first stage of the default pipeline. */
const invalid: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["an unknown stage", { stageId: unknown }, "/stageId not_found"],
  ["another tenant's stage", { stageId: two.stage }, "/stageId not_found"],
  ["an unknown pipeline", { pipelineId: unknown, stageId: sales.lead }, "/pipelineId not_found"],
  ["another tenant's pipeline", { pipelineId: two.pipeline, stageId: sales.lead }, "/pipelineId not_found"],
  ["a pipeline that is a stage", { pipelineId: sales.lead, stageId: sales.lead }, "/pipelineId not_found"],
  ["a stage of another pipeline", { pipelineId: sales.id, stageId: service.survey }, "/stageId not_in_pipeline"],
  ["a pipeline of another stage", { pipelineId: service.id, stageId: sales.lead }, "/stageId not_in_pipeline"],
  [
    "an unknown pipeline and stage",
    { pipelineId: unknown, stageId: unknown },
    "/pipelineId not_found, /stageId not_found",
  ],
];

for (const [what, body, problems] of invalid) {
  test(`POST and PATCH /opportunities return 422 for ${what}`, async () => {
    const { id } = await create("/opportunities", { name: "Lead" });
    const made = await call("POST", "/opportunities", { name: "x", ...body });
    assert.equal(verdict(made), `422 invalid_reference: ${problems}`);
    assert.equal((await call("PATCH", `/opportunities/${id}`, body)).text, made.text);
  });
}

test("PATCH with only pipelineId moves an opportunity to the first stage of that pipeline", async () => {
  for (const pipelineId of [unknown, two.pipeline]) {
    const rejected = "422 invalid_reference: /pipelineId not_found";
    assert.equal(verdict(await call("POST", "/opportunities", { name: "x", pipelineId })), rejected);
    assert.equal(verdict(await call("PATCH", `/opportunities/${one.opportunity}`, { pipelineId })), rejected);
  }
  const before = await create("/opportunities", { name: "Lead", stageId: sales.offer });
  const path = `/opportunities/${before.id}`;
  const same = dataOf(await call("PATCH", path, { pipelineId: sales.id }));
  assert.deepEqual(same, before);
  const moved = dataOf(await call("PATCH", path, { pipelineId: service.id }));
  const { updatedAt } = moved;
  const there = { pipelineId: service.id, stageId: service.survey, stageChangedAt: updatedAt, updatedAt };
  assert.deepEqual(moved, { ...before, ...there });
});

test("PATCH with pipelineId and the stage of the old pipeline returns 422", async () => {
  const body = { pipelineId: service.id, stageId: sales.lead };
  const rejected = await call("PATCH", `/opportunities/${one.opportunity}`, body);
  assert.equal(verdict(rejected), "422 invalid_reference: /stageId not_in_pipeline");
  assert.match(errorOf(rejected).message, /Omit stageId/);
});

test("PATCH can reopen and move a closed opportunity to another pipeline", async () => {
  const { id } = await create("/opportunities", { name: "Won", status: "won" });
  const moved = dataOf(await call("PATCH", `/opportunities/${id}`, { status: "open", pipelineId: service.id }));
  assert.deepEqual([moved.status, moved.stageId, moved.closedAt], ["open", service.survey, null]);
});

test("archived pipelines and stages accept no new opportunity, and keep theirs", async () => {
  const archivedAt = "2026-01-05T08:00:00.000Z";
  const crm = await openCrm({ "/pipelines/1/archivedAt": archivedAt, "/pipelines/0/stages/1/archivedAt": archivedAt });
  const body = { name: "Renamed" };
  assert.equal((await crm.create("/opportunities", body)).stageId, sales.offer);
  const cases = { stageId: sales.lead, pipelineId: service.id };
  for (const [name, id] of Object.entries(cases)) {
    const made = await crm.call("POST", "/opportunities", { ...body, [name]: id });
    assert.equal(verdict(made), `422 invalid_reference: /${name} not_found`);
  }
  const path = `/opportunities/${one.opportunity}`;
  const stored = await crm.read(path);
  const changed = dataOf(await crm.call("PATCH", path, { ...stored, ...body }));
  assert.deepEqual(changed, { ...stored, ...body, updatedAt: changed.updatedAt });
});

test("a stage of an archived pipeline is rejected with the path of the field that was sent", async () => {
  const crm = await openCrm({ "/pipelines/1/archivedAt": "2026-01-05T08:00:00.000Z" });
  const rejected = "422 invalid_reference: /stageId not_found";
  const body = { stageId: service.review };
  assert.equal(verdict(await crm.call("POST", "/opportunities", { name: "x", ...body })), rejected);
  assert.equal(verdict(await crm.call("PATCH", `/opportunities/${one.opportunity}`, body)), rejected);
});

test("POST /opportunities is rejected, not a 500, if all stages of the pipeline are archived", async () => {
  const crm = await openCrm();
  // The set-up API keeps the last stage, but a host that writes to the storage can archive it.
  const stages = await crm.storage.list(one.id, "stage", { where: { pipelineId: service.id } });
  await crm.storage.commit(one.id, crm.clock.now(), (at) =>
    stages.map((stage) => {
      const record = { ...stage, archivedAt: at, updatedAt: at };
      return { op: "update", kind: "stage", record, expectedUpdatedAt: stage.updatedAt };
    }),
  );
  const rejected = await crm.call("POST", "/opportunities", { name: "x", pipelineId: service.id });
  assert.equal(verdict(rejected), "422 validation_error: /stageId required");
});

test("without a default pipeline, a new opportunity starts in the oldest one", async () => {
  const crm = await openCrm({
    "/pipelines/0/isDefault": false,
    "/pipelines/0/updatedAt": "2026-02-01T08:00:00.000Z",
    "/pipelines/1/createdAt": "2026-01-05T08:00:00.001Z",
    "/pipelines/1/updatedAt": "2026-01-05T08:00:00.001Z",
  });
  assert.equal((await crm.create("/opportunities", { name: "x" })).stageId, sales.lead);
});
