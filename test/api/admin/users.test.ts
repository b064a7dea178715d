import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, one, openCrm, two, unknown, verdict } from "../../support/crm.ts";

const { call, send, clock } = await openCrm();

const past = "2026-01-05T08:00:00.000Z";
const times = { createdAt: past, updatedAt: past };
const ana = {
  id: one.admin,
  name: "Ana Admin",
  email: "ana@tenant.test",
  role: "admin",
  active: true,
  externalId: "hr-7",
  ...times,
};

async function namesAt(path: string): Promise<unknown> {
  const { body } = await call("GET", path);
  return (body as { data: { name: string }[] }).data.map(({ name }) => name);
}

test("GET /users returns all unarchived users in order of updatedAt", async () => {
  const result = await call("GET", "/users");
  const { data, ...more } = result.body as { data: Record<string, unknown>[] };
  assert.deepEqual([result.status, more, result.headers.get("link")], [200, {}, null]);
  assert.deepEqual(data[2], ana);
  assert.deepEqual(
    data.map(({ name, role, active }) => [name, role, active]),
    [
      ["Rita", "admin", false],
      ["Mia", "member", true],
      ["Ana Admin", "admin", true],
      ["Max Member", "member", true],
      ["Ina Inactive", "member", false],
      ["Olga", "admin", true],
    ],
  );
});

test("GET /users filters by email in any case, and by active", async () => {
  assert.deepEqual(await namesAt("/users?email=ANA@Tenant.test"), ["Ana Admin"]);
  assert.deepEqual(await namesAt("/users?email=missing@tenant.test"), []);
  assert.deepEqual(await namesAt("/users?active=false"), ["Rita", "Ina Inactive"]);
  assert.deepEqual(await namesAt("/users?active=true&email=rita@tenant.test"), []);
  assert.deepEqual(await namesAt("/users?active=false&email=rita@tenant.test"), ["Rita"]);
  assert.equal(
    verdict(await call("GET", "/users?email=ana&active=yes&role=admin")),
    "400 validation_error: ?role unknown_key, ?email invalid_format, ?active not_an_option",
  );
});

test("GET /users?externalId= returns the users with this ID of the host", async () => {
  assert.deepEqual(await namesAt("/users?externalId=hr-7"), ["Ana Admin"]);
  assert.deepEqual(await namesAt("/users?externalId=HR-7"), []);
  assert.deepEqual(await namesAt("/users?externalId=hr-7&active=false"), []);
});

test("GET /users/{id} returns the user of the list, and 404 for unknown and other tenants' users", async () => {
  assert.deepEqual((await call("GET", `/users/${one.admin}`)).body, { data: ana });
  const invalid = await Promise.all([unknown, two.admin, "ana"].map((id) => call("GET", `/users/${id}`)));
  assert.deepEqual(
    invalid.map((result) => [result.status, errorOf(result)]),
    Array(3).fill([404, { code: "not_found", message: "No user with this ID." }]),
  );
});

test("GET /me returns the tenant of the API key, its scopes and the server time", async () => {
  const { body } = await send("GET", "/me", { key: one.readKey });
  const { keyId, rateLimit, ...rest } = (body as { data: Record<string, unknown> }).data;
  const integrationId = one.otherIntegration;
  const serverTime = new Date(clock.now()).toISOString();
  assert.deepEqual(rest, { tenantId: one.id, integrationId, scopes: ["tasks:read"], serverTime });
  assert.match(String(keyId), /^[0-9a-f-]{36}$/);
  assert.deepEqual(Object.keys(rateLimit as object), ["limit", "remaining", "resetAt"]);
});
