import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, openCrm, sales } from "../../support/crm.ts";

test("only updatedAt is ahead of the clock after the clock was wrong", async () => {
  const { call, create, clock, read } = await openCrm();
  const old = await create("/opportunities", { name: "Before" });
  const day = 86_400_000;
  clock.advance(day);
  await create("/tasks", { title: "From the future" });
  clock.set(clock.now() - day);
  const now = (): string => new Date(clock.now()).toISOString();

  const created = await create("/opportunities", { name: "Sale", status: "won" });
  const { createdAt, closedAt, stageChangedAt } = created;
  assert.deepEqual([createdAt, closedAt, stageChangedAt], [now(), now(), now()]);
  assert.ok(created.updatedAt > now());

  const moved = dataOf(await call("PATCH", `/opportunities/${old.id}`, { stageId: sales.contract, status: "won" }));
  assert.deepEqual([moved.stageChangedAt, moved.closedAt], [now(), now()]);
  assert.ok(moved.updatedAt > created.updatedAt);

  const task = await create("/tasks", { title: "Call", status: "completed" });
  assert.deepEqual([task.createdAt, task.closedAt], [now(), now()]);
  await call("DELETE", `/tasks/${task.id}`);
  const archivedAt = now();
  const { data } = (await call("GET", "/tasks?includeArchived=true")).body as { data: { archivedAt?: string }[] };
  assert.equal(data.at(-1)?.archivedAt, archivedAt);
  assert.ok((await read(`/opportunities/${old.id}`)).updatedAt > now());
});
