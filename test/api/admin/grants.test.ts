import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, sequentialIds, testCrm } from "../../support/harness.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const grant = "0196c4bd-e28c-78d7-979f-5594323a965c";
const ofInactive = "0196c4bd-e28c-78d7-979f-5594323a965d";
const archived = "0196c4bd-e28c-78d7-979f-5594323a965e";
const ofArchived = "0196c4bd-e28c-78d7-979f-5594323a9660";
const foreign = "0196c4bd-e28c-78d7-979f-5594323a965f";
const gone = "0196c4bd-e28c-78d7-979f-5594323a9661";

const grants = [
  { id: grant, userId: one.member },
  { id: ofInactive, userId: one.inactive },
  { id: ofArchived, userId: gone },
  { id: archived, userId: one.member, archivedAt: "2026-02-01T00:00:00Z" },
];
const ids = sequentialIds();
const file = tenantFile(one);
const users = [...(file.users as object[]), { id: gone, name: "Gone", email: "gone@tenant.test" }];
const { api, send, storage, clock } = await testCrm([], { ids });
const files = [
  { ...file, users, grants },
  { ...tenantFile(two), grants: [{ id: foreign, userId: two.admin }] },
];
for (const file of files) await loadTenantFile(storage, file, { clock, newId: ids });
after(() => api.close());

function resolve(query: string, key = one.key): Promise<Result> {
  return send("GET", `/grants/resolve${query}`, { key });
}

function assertError({ status, body }: Result, expected: number, error: Readonly<Record<string, unknown>>): void {
  assert.deepEqual([status, body], [expected, { error }]);
}

test("GET /grants/resolve returns name and email of the user only with users:read", async () => {
  const tenant = { id: one.id, name: "Tenant" };
  const shown = { id: one.member, active: true };
  const whole = { ...shown, name: "Max Member", email: "max@tenant.test" };
  for (const [key, user] of [
    [one.key, whole],
    [one.readKey, shown],
    [one.bareKey, shown],
  ] as const) {
    for (const id of [grant, grant.toUpperCase()]) {
      const { status, body } = await resolve(`?grantId=${id}`, key);
      assert.deepEqual(
        [status, body],
        [200, { data: { grantId: grant, tenantId: one.id, userId: one.member, tenant, user } }],
      );
    }
  }
});

test("a grant of a disabled user has active false", async () => {
  const { status, body } = await resolve(`?grantId=${ofInactive}`);
  const tenant = { id: one.id, name: "Tenant" };
  const user = { id: one.inactive, name: "Ina Inactive", email: "ina@tenant.test", active: false };
  assert.deepEqual(
    [status, body],
    [200, { data: { grantId: ofInactive, tenantId: one.id, userId: one.inactive, tenant, user } }],
  );
});

test("a grant of an archived user returns 404, as the user does", async () => {
  assert.equal((await resolve(`?grantId=${ofArchived}`)).status, 200);
  const archive = api.operations.adminArchiveUser ?? assert.fail("there is no such operation");
  await archive({ caller: { tenantId: one.id, scopes: [] }, params: { id: gone } });
  assert.equal((await send("GET", `/users/${gone}`, { key: one.key })).status, 404);
  assertError(await resolve(`?grantId=${ofArchived}`), 404, {
    code: "not_found",
    message: "No grant with this ID.",
  });
});

test("an unknown, archived, malformed, empty and another tenant's grant return the same 404", async () => {
  const error = { code: "not_found", message: "No grant with this ID." };
  for (const id of [archived, foreign, one.member, "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11", "x", "", "%F0%9F%8D%93"]) {
    assertError(await resolve(`?grantId=${id}`), 404, error);
  }
  assert.equal((await resolve(`?grantId=${foreign}`, two.key)).status, 200);
});

test("grantId is required exactly once, and a misspelling returns a hint", async () => {
  const required = { path: "?grantId", code: "required", message: "grantId is required." };
  const missing = {
    code: "validation_error",
    message: "grantId is required.",
    details: { errors: [required] },
  };
  assertError(await resolve(""), 400, missing);

  const invalid = { path: "?grantID", code: "unknown_key", allowed: ["grantId", "tenantId"] };
  const message = 'Unknown parameter "grantID". Did you mean "grantId"?';
  assertError(await resolve(`?grantID=${grant}`), 400, {
    code: "validation_error",
    message: `${message} (and 1 more: see details.errors)`,
    details: { errors: [{ ...invalid, message, suggestion: "grantId" }, required] },
  });

  const twice = '"grantId" occurs more than once. Send it once.';
  assertError(await resolve(`?grantId=${grant}&grantId=${grant}`), 400, {
    code: "validation_error",
    message: twice,
    details: { errors: [{ path: "?grantId", code: "invalid_format", message: twice }] },
  });
});

test("a tenantId in the request must match the API key", async () => {
  assert.equal((await resolve(`?grantId=${grant}&tenantId=${one.id}`)).status, 200);
  const result = await resolve(`?grantId=${foreign}&tenantId=${two.id}`);
  const message = "tenantId doesn't match the tenant of this API key. Omit it or send the ID that GET /me returns.";
  const errors = [{ path: "?tenantId", code: "not_found", message }];
  assertError(result, 422, { code: "invalid_reference", message, details: { errors } });
});
