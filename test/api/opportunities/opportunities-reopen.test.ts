import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, openCrm } from "../../support/crm.ts";

test("a lost opportunity is reopened by sending it back as it was, with the status open", async () => {
  const { call, create, read } = await openCrm();
  const { id } = await create("/opportunities", { name: "Sale", status: "lost", lostReason: "Price" });
  const { closedAt: _, ...before } = await read(`/opportunities/${id}`);
  const after = dataOf(await call("PATCH", `/opportunities/${id}`, { ...before, status: "open" }));
  assert.deepEqual([after.status, after.lostReason, after.closedAt], ["open", null, null]);
});

test("a tenant without pipelines has no place for an opportunity, and says so", async () => {
  const { call } = await openCrm({ "/pipelines": [], "/opportunities": [], "/rules": [] });
  const refused = await call("POST", "/opportunities", { name: "Sale" });
  assert.equal(refused.status, 409);
  assert.equal(errorOf(refused).details?.reason, "no_pipeline");
});
