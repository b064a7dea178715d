import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, openCrm } from "../../support/crm.ts";

test("a lost opportunity is reopened by sending it back with the status open", async () => {
  const { call, create, read } = await openCrm();
  const { id } = await create("/opportunities", { name: "Sale", status: "lost", lostReason: "Price" });
  const { closedAt: _, ...before } = await read(`/opportunities/${id}`);
  const after = dataOf(await call("PATCH", `/opportunities/${id}`, { ...before, status: "open" }));
  assert.deepEqual([after.status, after.lostReason, after.closedAt], ["open", null, null]);
});

test("POST /opportunities returns 409 no_pipeline for a tenant without pipelines", async () => {
  const { call } = await openCrm({ "/pipelines": [], "/opportunities": [], "/rules": [] });
  const rejected = await call("POST", "/opportunities", { name: "Sale" });
  assert.equal(rejected.status, 409);
  assert.equal(errorOf(rejected).details?.reason, "no_pipeline");
});
