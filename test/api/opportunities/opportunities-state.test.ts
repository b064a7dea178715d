import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, service, verdict } from "../../support/crm.ts";

const { call, create, read, clock } = await openCrm();
const past = "2025-06-30T12:00:00.000Z";

/** A new opportunity in the pipeline that asks for reasons, and the path to it. */
async function made(body: Record<string, unknown>) {
  const before = await create("/opportunities", { name: "Sale", ...body });
  return { before, path: `/opportunities/${before.id}` };
}

const lost = { status: "lost", lostReason: "Price" };
const won = { status: "won" };

test("closedAt is the time of closing, and reopening clears it and lostReason", async () => {
  const { before, path } = await made({});
  for (const body of [won, { status: "open" }, lost, won, lost, { status: "open" }, won]) {
    const after = dataOf(await call("PATCH", path, body));
    const closedAt = body.status === "open" ? null : after.updatedAt;
    assert.deepEqual(after, { ...before, lostReason: null, ...body, closedAt, updatedAt: after.updatedAt });
  }
});

test("a lost opportunity is reopened by sending it back with the status open", async () => {
  const { before, path } = await made(lost);
  const { closedAt: _, ...body } = before;
  const after = dataOf(await call("PATCH", path, { ...body, status: "open" }));
  assert.deepEqual([after.status, after.lostReason, after.closedAt], ["open", null, null]);
});

test("an opportunity can be created as lost with its reason", async () => {
  for (const body of [won, lost]) {
    const { before } = await made(body);
    assert.deepEqual(before, { ...before, ...body, closedAt: before.createdAt, stageChangedAt: before.createdAt });
  }
});

test("a change of other fields, including lostReason, keeps closedAt", async () => {
  const { before, path } = await made(lost);
  const body = { status: "lost", lostReason: "No answer", amount: 5, name: "Lost" };
  const after = dataOf(await call("PATCH", path, body));
  assert.deepEqual(after, { ...before, ...body, updatedAt: after.updatedAt });
});

test("PATCH from won to lost needs a lostReason, as any change to lost does", async () => {
  const { before, path } = await made(won);
  const rejected = await call("PATCH", path, { status: "lost" });
  assert.equal(verdict(rejected), "422 validation_error: /lostReason required_at_status");
  assert.deepEqual(await read(path), before);
});

test("a closed opportunity can't change its stage; one PATCH can close and move it", async () => {
  const { path } = await made({});
  const closed = dataOf(await call("PATCH", path, { ...won, stageId: sales.offer }));
  assert.deepEqual([closed.closedAt, closed.stageChangedAt], [closed.updatedAt, closed.updatedAt]);
  const moves = [
    { stageId: sales.lead },
    { stageId: service.survey },
    { pipelineId: service.id },
    { pipelineId: service.id, stageId: service.survey },
    { ...lost, stageId: sales.lead },
  ];
  for (const body of moves) {
    const rejected = await call("PATCH", path, { ...body, name: "x" });
    assert.equal(rejected.status, 409);
    assert.deepEqual(rejected.body, {
      error: {
        code: "conflict",
        message: "The stage of a won opportunity can't change. To move it, also set its status to open.",
        details: { reason: "closed", allowed: [sales.offer] },
      },
    });
  }
  assert.equal(verdict(await call("PATCH", path, { stageId: sales.offer, pipelineId: sales.id })), "200");
  assert.deepEqual(await read(path), closed);
  const reopened = dataOf(await call("PATCH", path, { status: "open", stageId: sales.lead }));
  assert.deepEqual([reopened.status, reopened.stageId, reopened.closedAt], ["open", sales.lead, null]);
});

test("other errors are reported before a forbidden stage change", async () => {
  const { path } = await made(won);
  const cases = {
    "422 invalid_reference: /stageId not_in_pipeline": { pipelineId: service.id, stageId: sales.lead },
    "422 unknown_custom_field: /customFields/x unknown_key": { pipelineId: service.id, customFields: { x: 1 } },
    "400 validation_error: /closedAt read_only": { stageId: sales.contract, closedAt: null },
  };
  for (const [problem, body] of Object.entries(cases)) assert.equal(verdict(await call("PATCH", path, body)), problem);
});

test("a pipeline that requires a lost reason accepts only its own reasons", async () => {
  const { path } = await made({});
  const needed = await call("PATCH", path, { status: "lost" });
  assert.equal(needed.status, 422);
  const allowed = ["Price", "No answer"];
  const message = "lostReason is required if the status is lost. Allowed: Price, No answer.";
  assert.deepEqual(needed.body, {
    error: {
      code: "validation_error",
      message,
      details: { errors: [{ path: "/lostReason", code: "required_at_status", message, allowed }] },
    },
  });
  const invalid = await call("PATCH", path, { ...lost, lostReason: "Weather" });
  assert.equal(verdict(invalid), "422 validation_error: /lostReason not_an_option");
  assert.deepEqual(errorOf(invalid).details?.errors?.[0]?.allowed, allowed);
  assert.equal((await call("POST", "/opportunities", { name: "x", status: "lost" })).text, needed.text);
  assert.equal((await call("POST", "/opportunities", { name: "x", ...lost, lostReason: null })).text, needed.text);
  dataOf(await call("PATCH", path, lost));
  assert.equal((await call("PATCH", path, { lostReason: null })).text, needed.text);
  assert.equal((await call("PATCH", path, { lostReason: "Weather" })).text, invalid.text);
});

test("a pipeline without a list of reasons accepts any reason, or no reason", async () => {
  const body = { stageId: service.survey, status: "lost" };
  const { before } = await made({ ...body, lostReason: "It rained\tall day ☔" });
  assert.equal(before.lostReason, "It rained\tall day ☔");
  assert.equal((await made(body)).before.lostReason, null);
});

test("a lost reason can be required without a list of reasons", async () => {
  const crm = await openCrm({ "/pipelines/0/requireLostReason": false, "/pipelines/1/requireLostReason": true });
  const close = (stageId: string, lostReason?: string) =>
    crm.call("POST", "/opportunities", { name: "x", stageId, status: "lost", lostReason });
  assert.equal(verdict(await close(sales.lead)), "201");
  assert.equal(verdict(await close(sales.lead, "Weather")), "422 validation_error: /lostReason not_an_option");
  assert.equal(verdict(await close(service.survey, "Weather")), "201");
  const needed = await close(service.survey);
  const message = "lostReason is required if the status is lost.";
  assert.deepEqual(errorOf(needed).details, {
    errors: [{ path: "/lostReason", code: "required_at_status", message }],
  });
});

test("lostReason requires the status lost", async () => {
  const rejected = "422 validation_error: /lostReason not_an_option";
  const { path } = await made({});
  const { path: lostPath } = await made(lost);
  const lostReason = "Price";
  assert.equal(verdict(await call("POST", "/opportunities", { name: "x", lostReason })), rejected);
  assert.equal(verdict(await call("POST", "/opportunities", { name: "x", lostReason, ...won })), rejected);
  assert.equal(verdict(await call("PATCH", path, { lostReason })), rejected);
  assert.equal(verdict(await call("PATCH", path, { lostReason, ...won })), rejected);
  assert.equal(verdict(await call("PATCH", lostPath, { status: "open", lostReason: "No answer" })), rejected);
  assert.equal(verdict(await call("PATCH", lostPath, { status: "open", lostReason: null })), "200");
});

test("a lost opportunity whose reason has left the list can be changed, and the reason sent back", async () => {
  const crm = await openCrm({ "/opportunities/0/status": "lost", "/opportunities/0/lostReason": "Weather" });
  const path = `/opportunities/${one.opportunity}`;
  assert.equal(verdict(await crm.call("PATCH", path, { name: "Renamed" })), "200");
  assert.equal(verdict(await crm.call("PATCH", path, { name: "Again", lostReason: "Weather" })), "200");
});

test("an opportunity lost before the pipeline required reasons can be changed", async () => {
  const crm = await openCrm({ "/opportunities/0/status": "lost" });
  assert.equal(verdict(await crm.call("PATCH", `/opportunities/${one.opportunity}`, { name: "Renamed" })), "200");
});

test("archiving and restoring a closed opportunity keeps its status and closedAt", async () => {
  const { before, path } = await made({ ...lost, stageId: sales.contract });
  await call("DELETE", path);
  const restored = dataOf(await call("POST", `${path}/restore`));
  assert.deepEqual(restored, { ...before, updatedAt: restored.updatedAt });
});

test("of a win and a loss at the same time both succeed, and the last one counts", async () => {
  const { path } = await made({});
  const results = await Promise.all([won, lost, won, lost].map((body) => call("PATCH", path, body)));
  assert.deepEqual(results.map(verdict), ["200", "200", "200", "200"]);
  const last = results.map((result) => dataOf(result)).toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))[0];
  assert.deepEqual(await read(path), last);
});

test("POST /opportunities stores a closedAt in the past", async () => {
  for (const body of [won, lost]) {
    const record = await create("/opportunities", { name: "Old", ...body, closedAt: past });
    assert.equal(record.closedAt, past);
    assert.ok(record.createdAt > past);
    const path = `/opportunities/${record.id}`;
    const renamed = dataOf(await call("PATCH", path, { name: "Renamed", closedAt: past }));
    assert.equal(renamed.closedAt, past);
    assert.equal(
      verdict(await call("PATCH", path, { closedAt: record.createdAt })),
      "400 validation_error: /closedAt read_only",
    );
    const reopened = dataOf(await call("PATCH", path, { status: "open" }));
    assert.equal(reopened.closedAt, null);
  }
});

test("POST /opportunities closes at the current time without a closedAt", async () => {
  for (const closedAt of [undefined, null]) {
    const record = await create("/opportunities", { name: "Now", status: "won", closedAt });
    assert.equal(record.closedAt, record.createdAt);
  }
  assert.equal((await create("/opportunities", { name: "Open", closedAt: null })).closedAt, null);
});

test("POST /opportunities returns 422 for a closedAt in the future and for one without a closed status", async () => {
  const future = new Date(clock.now() + 3_600_000).toISOString();
  const late = await call("POST", "/opportunities", { name: "Old", ...lost, closedAt: future });
  assert.equal(verdict(late), "422 validation_error: /closedAt out_of_range");
  assert.equal(errorOf(late).message, "closedAt must not be in the future.");
  assert.deepEqual(errorOf(late).details?.errors?.[0]?.limits, { notAfter: new Date(clock.now()).toISOString() });
  for (const body of [{ name: "Open" }, { name: "Open", status: "open" }]) {
    const open = await call("POST", "/opportunities", { ...body, closedAt: past });
    assert.equal(verdict(open), "422 validation_error: /closedAt not_an_option");
    assert.equal(errorOf(open).message, "closedAt must be null unless the status is won or lost.");
  }
  const malformed = await call("POST", "/opportunities", { name: "Old", ...lost, closedAt: "yesterday" });
  assert.equal(verdict(malformed), "400 validation_error: /closedAt invalid_format");
});

test("lostReason ignores case and is stored in the spelling of the pipeline", async () => {
  assert.equal((await create("/opportunities", { name: "Sale", ...lost, lostReason: "PRICE" })).lostReason, "Price");
  const { path } = await made({});
  const changed = dataOf(await call("PATCH", path, { status: "lost", lostReason: "no answer" }));
  assert.equal(changed.lostReason, "No answer");
  const same = dataOf(await call("PATCH", path, { lostReason: "NO ANSWER" }));
  assert.equal(same.updatedAt, changed.updatedAt);
  assert.equal(
    verdict(await call("PATCH", path, { lostReason: "Prices" })),
    "422 validation_error: /lostReason not_an_option",
  );
});

test("lostReason keeps its spelling if the pipeline has no list", async () => {
  const { before } = await made({ ...lost, stageId: service.survey, lostReason: "pRICE" });
  assert.equal(before.lostReason, "pRICE");
});
