import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, send } = await openCrm();

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
