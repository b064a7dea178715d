import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, openCrm, verdict } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

for (const [path, body, change] of [
  ["/accounts", { name: "Old" }, { phone: "1" }],
  ["/contacts", { name: "Old" }, { phone: "1" }],
  ["/opportunities", { name: "Old" }, { status: "won" }],
  ["/tasks", { title: "Old" }, { status: "completed" }],
] as const) {
  test(`PATCH ${path} returns 409 stale for a record as it was before another change`, async () => {
    const old = await create(path, body);
    const url = `${path}/${old.id}`;
    const changed = dataOf(await call("PATCH", url, change));
    const stale = await call("PATCH", url, { ...old, ...body });
    assert.equal(stale.status, 409);
    const { code, details } = errorOf(stale);
    assert.deepEqual(
      { code, details },
      { code: "conflict", details: { reason: "stale", updatedAt: changed.updatedAt } },
    );
    assert.deepEqual(await read(url), changed);
    assert.equal(verdict(await call("PATCH", url, changed)), "200");
  });
}

test("PATCH returns 400 read_only for other changed read-only fields", async () => {
  const { id } = await create("/tasks", { title: "Call", status: "completed" });
  const body = { status: "canceled", createdAt: "2020-01-01T00:00:00Z", closedAt: null };
  const rejected = await call("PATCH", `/tasks/${id}`, body);
  assert.equal(verdict(rejected), "400 validation_error: /closedAt read_only, /createdAt read_only");
});

test("PATCH reports a malformed updatedAt as a format error", async () => {
  const { id } = await create("/tasks", { title: "Call" });
  const rejected = await call("PATCH", `/tasks/${id}`, { updatedAt: "yesterday" });
  assert.equal(verdict(rejected), "400 validation_error: /updatedAt invalid_format");
});
