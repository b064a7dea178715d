import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { wrapStorage } from "../../../lib/index.ts";
import { adminAuth, adminOf, adminUrl, type ShownKey } from "../../support/admin.ts";
import { type Result, type TestCrm, testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;

/** Returns the outcome of a request as a word. */
function outcome(result: Result): string {
  return result.headers.has("idempotent-replayed") ? `${result.status} replayed` : verdict(result);
}

/** POSTs of which only one can succeed. */
const uniquePosts: readonly (readonly [string, Record<string, unknown>])[] = [
  ["/accounts", { name: "Twin" }],
  ["/contacts", { name: "Twin", email: "twin@tenant.test" }],
  [`/accounts/${one.archivedAccount}/restore`, {}],
];

for (const [path, body] of uniquePosts) {
  test(`one of 16 equal concurrent POSTs to ${path.replace(one.archivedAccount, ":id")} runs, and 15 are replays`, async () => {
    const { send, api } = await testCrm([one]);
    const headers = { "idempotency-key": randomUUID() };
    const results = await Promise.all(Array.from({ length: 16 }, () => send("POST", path, { key, headers, body })));
    const status = path.endsWith("restore") ? "200" : "201";
    assert.deepEqual(results.map(outcome).sort(), [status, ...Array(15).fill(`${status} replayed`)]);
    assert.equal(new Set(results.map(({ text }) => text)).size, 1);
    await api.close();
  });
}

/** Two APIs on one storage. In the second, other requests run after it looks for a stored response. */
async function interrupted(interrupt: (first: TestCrm) => Promise<unknown>) {
  const first = await testCrm([one], { adminAuth });
  let armed = true;
  const storage = wrapStorage(first.storage, {
    async get(tenant, kind, id) {
      const record = await first.storage.get(tenant, kind, id);
      if (kind === "idempotencyRecord" && armed) {
        armed = false;
        await interrupt(first);
      }
      return record;
    },
  });
  return { first, second: await testCrm([], { adminAuth, storage }) };
}

test("an API key created by a parallel retry is replayed, not counted against the limit", async () => {
  const sent = { headers: { "idempotency-key": randomUUID() }, body: { integrationId: one.otherIntegration } };
  const generate = (crm: TestCrm): Promise<Result> =>
    adminOf(crm, one.id, one.admin)("POST", `${adminUrl}/api-key/generate`, sent);
  let created: Result | undefined;
  const { first, second } = await interrupted(async (crm) => {
    created = await generate(crm);
  });
  const again = await generate(second);
  assert.equal(outcome(again), "201 replayed");
  assert.deepEqual(dataOf<ShownKey>(again, 201), { ...dataOf<ShownKey>(created as Result, 201), key: null });
  await first.api.close();
});

test("a record created in parallel under another key still returns 409 duplicate", async () => {
  const post = ({ send }: TestCrm): Promise<Result> =>
    send("POST", "/accounts", { key, headers: { "idempotency-key": randomUUID() }, body: { name: "Twin" } });
  const { first, second } = await interrupted(post);
  assert.equal(outcome(await post(second)), "409 duplicate");
  await first.api.close();
});

test("a parallel request with another body and the same key returns idempotency_key_reused", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const post = ({ send }: TestCrm, phone: string): Promise<Result> =>
    send("POST", "/accounts", { key, headers, body: { name: "Twin", phone } });
  const { first, second } = await interrupted((crm) => post(crm, "1"));
  assert.equal(outcome(await post(second, "2")), "422 idempotency_key_reused");
  await first.api.close();
});

test("a repeated POST with another tenant ID or query is rejected, and after 24 hours it runs again", async () => {
  const crm = await testCrm([one]);
  const headers = { "idempotency-key": randomUUID() };
  const query = `?tenantId=${one.id}`;
  const post = (more: { path?: string; headers?: Record<string, string> } = {}): Promise<Result> =>
    crm.send("POST", more.path ?? `/tasks${query}`, {
      key,
      headers: { ...headers, ...more.headers },
      body: { title: "a" },
    });
  assert.equal(outcome(await post()), "201");
  assert.equal(outcome(await post()), "201 replayed");
  assert.equal(
    outcome(await post({ headers: { "x-tenant-id": testTenant(2).id } })),
    "422 invalid_reference: x-tenant-id not_found",
  );
  assert.equal(
    outcome(await post({ path: `/tasks${query}&tenantId=${one.id}` })),
    "400 validation_error: ?tenantId invalid_format",
  );
  crm.clock.advance(24 * 60 * 60 * 1000);
  assert.equal(outcome(await post()), "201");
  await crm.api.close();
});

test("a number beyond the double range differs from null and from text, also with the same idempotency key", async () => {
  const crm = await testCrm([one]);
  for (const value of ["null", '"Infinity"']) {
    const headers = { "idempotency-key": randomUUID() };
    const post = (description: string): Promise<Result> =>
      crm.send("POST", "/tasks", { key, headers, raw: `{"title":"a","description":${description}}` });
    assert.equal(outcome(await post(value)), "201");
    assert.equal(outcome(await post("1e999")), "400 validation_error: /description invalid_type");
    assert.equal(outcome(await post(value)), "201 replayed");
  }
  await crm.api.close();
});
