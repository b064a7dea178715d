import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, openCrm, service, verdict } from "../../support/crm.ts";

const { call, create, clock } = await openCrm();
const past = "2025-06-30T12:00:00.000Z";
const lost = { name: "Old", status: "lost", lostReason: "Price" };

test("POST /opportunities stores a closedAt in the past", async () => {
  for (const body of [{ name: "Old", status: "won" }, lost]) {
    const record = await create("/opportunities", { ...body, closedAt: past });
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
  const late = await call("POST", "/opportunities", { ...lost, closedAt: future });
  assert.equal(verdict(late), "422 validation_error: /closedAt out_of_range");
  assert.equal(errorOf(late).message, "closedAt must not be in the future.");
  for (const body of [{ name: "Open" }, { name: "Open", status: "open" }]) {
    const open = await call("POST", "/opportunities", { ...body, closedAt: past });
    assert.equal(verdict(open), "422 validation_error: /closedAt not_an_option");
    assert.equal(errorOf(open).message, "closedAt must be null unless the status is won or lost.");
  }
  const malformed = await call("POST", "/opportunities", { ...lost, closedAt: "yesterday" });
  assert.equal(verdict(malformed), "400 validation_error: /closedAt invalid_format");
});

test("lostReason ignores case and is stored in the spelling of the pipeline", async () => {
  assert.equal((await create("/opportunities", { ...lost, lostReason: "PRICE" })).lostReason, "Price");
  const { id } = await create("/opportunities", { name: "Sale" });
  const path = `/opportunities/${id}`;
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
  const body = { ...lost, stageId: service.survey, lostReason: "pRICE" };
  assert.equal((await create("/opportunities", body)).lostReason, "pRICE");
});
