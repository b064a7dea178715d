import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, sales, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, read, send, clock } = await openCrm();

for (const [path, body] of [
  ["/accounts", { name: "Old", customFields: { size: 1 } }],
  ["/contacts", { name: "Old" }],
  ["/opportunities", { name: "Old", contactIds: [one.contact] }],
  ["/tasks", { title: "Old" }],
] as const) {
  test(`GET ${path}/{id}?includeArchived=true returns an archived record with archivedAt`, async () => {
    const record = await create(path, body);
    const url = `${path}/${record.id}`;
    assert.deepEqual(dataOf(await call("GET", `${url}?includeArchived=true`)), record);
    await call("DELETE", url);
    const shown = await call("GET", `${url}?includeArchived=true`);
    const { archivedAt, updatedAt } = dataOf<Record<string, string>>(shown);
    assert.deepEqual(dataOf(shown), { ...record, archivedAt, updatedAt });
    assert.equal(archivedAt, updatedAt);
    assert.equal(shown.headers.get("etag"), `"${updatedAt}"`);
    for (const query of ["", "?includeArchived=false"])
      assert.equal(verdict(await call("GET", url + query)), "404 not_found");
    assert.equal(verdict(await send("GET", `${url}?includeArchived=true`, { key: two.key })), "404 not_found");
    assert.equal(verdict(await call("GET", `${path}/${unknown}?includeArchived=true`)), "404 not_found");
  });
}

test("GET with another value of includeArchived returns 400", async () => {
  const result = await call("GET", `/tasks/${one.task}?includeArchived=yes`);
  assert.equal(verdict(result), "400 validation_error: ?includeArchived not_an_option");
});

test("only updatedAt is ahead of the clock after the clock was wrong", async () => {
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
