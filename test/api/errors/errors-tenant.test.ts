import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, two, unknown, verdict } from "../../support/crm.ts";
import { withoutVariableHeaders } from "../../support/responses.ts";

const { call, create, read, send } = await openCrm();
const { key } = one;

test("the tenant ID can be sent in query, body and header, in any case", async () => {
  const headers = { "x-tenant-id": one.id };
  for (const tenantId of [one.id, one.id.toUpperCase()]) {
    for (const path of ["/me", "/users", "/tasks", `/tasks/${one.task}`]) {
      assert.equal(verdict(await send("GET", `${path}?tenantId=${tenantId}`, { key, headers })), "200", path);
    }
    const body = { title: "Call", tenantId };
    assert.equal(verdict(await send("POST", `/tasks?tenantId=${tenantId}`, { key, headers, body })), "201");
  }
});

test("every tenant ID must match the API key, and the error is the same whether or not it exists", async () => {
  const ways = {
    "?tenantId": (id: string) => send("GET", `/tasks?tenantId=${id}`, { key, headers: { "x-tenant-id": one.id } }),
    "/tenantId": (id: string) => send("POST", `/tasks?tenantId=${one.id}`, { key, body: { title: "a", tenantId: id } }),
    "x-tenant-id": (id: string) => send("GET", `/me?tenantId=${one.id}`, { key, headers: { "x-tenant-id": id } }),
  };
  for (const [path, sendWith] of Object.entries(ways)) {
    const existing = await sendWith(two.id);
    assert.equal(verdict(existing), `422 invalid_reference: ${path} not_found`);
    for (const other of [unknown, "1", "", "__proto__"])
      assert.deepEqual(withoutVariableHeaders(await sendWith(other)), withoutVariableHeaders(existing));
  }
});

test("all wrong tenant IDs are reported at once", async () => {
  const sent = { key, body: { title: "a", tenantId: unknown }, headers: { "x-tenant-id": two.id } };
  const result = await send("POST", `/tasks?tenantId=${two.id}`, sent);
  const problems = "?tenantId not_found, /tenantId not_found, x-tenant-id not_found";
  assert.equal(verdict(result), `422 invalid_reference: ${problems}`);
});

test("a batch rejects an operation with another tenantId in its data, and writes nothing of it", async () => {
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
  const data = { name: "New", tenantId: two.id };
  const operations = [{ op: "upsert", matchBy: "name", data }];
  const [item] = dataOf<{ status: number }[]>(await call("POST", "/accounts/batch", { operations }), 207);
  assert.equal(item?.status, 422);
});
