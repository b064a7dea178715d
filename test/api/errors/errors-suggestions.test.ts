import assert from "node:assert/strict";
import { after, test } from "node:test";
import { send as sendTo, testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { send, api } = await testCrm([one]);
const { key } = one;
after(() => api.close());

const origin = "http://crm.test";
const base = "/integrations/v1";

for (const [path, suggestion] of [
  [`${base}/acounts`, `${base}/accounts`],
  [`${base}/opportunity/${one.task}`, `${base}/opportunities/{id}`],
  [`${base}/task/${one.task}/restore`, `${base}/tasks/{id}/restore`],
  [`/gateway${base}/customfields`, `${base}/custom-fields`],
  [`${base}/doc`, `${base}/docs`],
  [`${base}/openapi.yaml`, `${base}/openapi.json`],
  ["/integrations/api-key/generat", "/integrations/api-key/generate"],
  ["/integrations/accounts", `${base}/accounts`],
  [`/v1/tasks/${one.task}`, `${base}/tasks/{id}`],
  ["/accounts", `${base}/accounts`],
] as const) {
  test(`the 404 of ${path} suggests ${suggestion}`, async () => {
    const result = await sendTo(api, "GET", origin + path, { key });
    const message = `Unknown path. Did you mean "${suggestion}"?`;
    assert.deepEqual([result.status, errorOf(result)], [404, { code: "not_found", message }]);
  });
}

test("a path that is close to none gets no suggestion", async () => {
  for (const path of ["/", "/favicon.ico", `${base}/`, `${base}/warehouse`, `${base}/${"x".repeat(5_000)}`]) {
    const result = await sendTo(api, "GET", origin + path, { key });
    assert.deepEqual([result.status, errorOf(result).message], [404, "Unknown path."], path);
  }
});

test("an unknown parameter or field lists what is allowed, at most 20 names", async () => {
  const allowedIn = async (method: string, path: string, body?: unknown) => {
    const { details } = errorOf(await send(method, path, { key, ...(body === undefined ? {} : { body }) }));
    return details?.errors?.map(({ allowed }) => allowed);
  };
  const users = ["email", "active", "externalId", "tenantId"];
  assert.deepEqual(await allowedIn("GET", "/users?warehouse=1"), [users]);
  assert.deepEqual(await allowedIn("POST", "/tasks", { title: "Call", warehouse: 1 }), [
    ["title", "description", "priority", "status", "dueDate", "relatedTo", "assignedTo", "tenantId"],
  ]);
  assert.deepEqual(await allowedIn("POST", "/accounts", { name: "Acme", address: { town: "Porto" } }), [
    ["street", "city", "state", "postalCode", "country"],
  ]);
  const [opportunity] = (await allowedIn("PATCH", `/opportunities/${one.task}`, { warehouse: 1 })) ?? [];
  assert.ok((opportunity?.length ?? 0) > 10 && (opportunity?.length ?? 0) <= 20, String(opportunity));
  assert.ok(opportunity?.includes("stageId") && !opportunity.includes("createdAt"));
});

test("a request with many unknown fields gets a response of less than 64 KiB", async () => {
  const body = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
  const result = await send("POST", "/opportunities", { key, body });
  assert.equal(result.status, 400);
  assert.equal(errorOf(result).details?.errors?.length, 50);
});
