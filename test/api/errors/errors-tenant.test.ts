import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testCrm } from "../../support/harness.ts";
import { verdict, withoutVariableHeaders } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const { send, api } = await testCrm([one, two]);
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
after(() => api.close());

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
  for (const [path, ask] of Object.entries(ways)) {
    const existing = await ask(two.id);
    assert.equal(verdict(existing), `422 invalid_reference: ${path} not_found`);
    for (const other of [unknown, "1", "", "__proto__"])
      assert.deepEqual(withoutVariableHeaders(await ask(other)), withoutVariableHeaders(existing));
  }
});

test("all wrong tenant IDs are reported at once", async () => {
  const sent = { key, body: { title: "a", tenantId: unknown }, headers: { "x-tenant-id": two.id } };
  const result = await send("POST", `/tasks?tenantId=${two.id}`, sent);
  const problems = "?tenantId not_found, /tenantId not_found, x-tenant-id not_found";
  assert.equal(verdict(result), `422 invalid_reference: ${problems}`);
});
