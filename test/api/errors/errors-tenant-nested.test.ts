import assert from "node:assert/strict";
import { test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { openCrm, two } from "../../support/crm.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);

test("a batch rejects an operation with another tenantId in its data, and writes nothing of it", async () => {
  const { call, create, read } = await openCrm();
  const { id } = await create("/tasks", { title: "Call" });
  const operations = [
    { op: "create", data: { title: "Mine", tenantId: one.id.toUpperCase() } },
    { op: "create", data: { title: "Theirs", tenantId: two.id } },
    { op: "update", id, data: { title: "Theirs", tenantId: two.id } },
    { op: "create", data: { title: "Wrong", tenantId: 7 } },
  ];
  const result = await call("POST", "/tasks/batch", { operations });
  const items = dataOf<{ status: number; error?: { code: string; details: { errors: { path: string }[] } } }[]>(
    result,
    207,
  );
  assert.deepEqual(
    items.map(({ status, error }) => [status, error?.code, error?.details.errors.map(({ path }) => path)]),
    [
      [201, undefined, undefined],
      [422, "invalid_reference", ["/tenantId"]],
      [422, "invalid_reference", ["/tenantId"]],
      [400, "validation_error", ["/tenantId"]],
    ],
  );
  assert.equal((await read(`/tasks/${id}`)).title, "Call");
  const atomic = await call("POST", "/tasks/batch", { operations: operations.slice(0, 2), atomic: true });
  assert.equal(verdict(atomic), "422 validation_error");
  const single = await call("POST", "/tasks", { title: "Theirs", tenantId: two.id });
  assert.deepEqual(items[1]?.error, errorOf(single));
});

test("a batch rejects an upsert with another tenantId in its data", async () => {
  const { call } = await openCrm();
  const data = { name: "New", tenantId: two.id };
  const operations = [{ op: "upsert", matchBy: "name", data }];
  const [item] = dataOf<{ status: number }[]>(await call("POST", "/accounts/batch", { operations }), 207);
  assert.equal(item?.status, 422);
});

test("PATCH /admin/tenant takes If-Match, and GET returns the ETag", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const rename = (name: string, etag: string) =>
    admin("PATCH", "/admin/tenant", { body: { name }, headers: { "if-match": etag } });
  const etag = String((await admin("GET", "/admin/tenant")).headers.get("etag"));
  const stale = await rename("Other", '"2020-01-01T00:00:00.000Z"');
  assert.deepEqual([verdict(stale), errorOf(stale).details?.reason], ["412 conflict", "stale"]);
  assert.equal(verdict(await rename("Other", "x")), "400 validation_error: If-Match invalid_format");
  const renamed = await rename("Renamed", etag);
  assert.equal(renamed.status, 200);
  assert.equal(verdict(await rename("Again", etag)), "412 conflict");
  assert.equal(verdict(await rename("Again", String(renamed.headers.get("etag")))), "200");
  const unchanged = await admin("GET", "/admin/tenant", { headers: { "if-none-match": "*" } });
  assert.equal(unchanged.status, 304);
});
