import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApiError, type ApiOptions, type Authenticate, type Caller, StorageUnavailable } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { type Sent, sequentialIds, type TestCrm, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const scopes = ["tasks:read", "tasks:write"];
const ana = { tenantId: one.id, userId: one.admin, scopes };

/** Returns the API of a host that identifies its callers by `Authorization: Session NAME`. */
async function crmOf(t: TestContext, sessions: Readonly<Record<string, unknown>>, options: Partial<ApiOptions> = {}) {
  const authenticate: Authenticate = ({ headers }) => {
    const found = sessions[(headers.get("authorization") ?? "").replace("Session ", "")];
    return (typeof found === "function" ? found() : found) as Caller | undefined;
  };
  const crm = await testCrm([one, two], { authenticate, ...options });
  t.after(() => crm.api.close());
  return crm;
}

const as = (session: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Sent => ({
  headers: { authorization: `Session ${session}`, ...headers },
  ...(body === undefined ? {} : { body }),
});

test("authenticate selects the caller and its tenant; omitted members are null", async (t) => {
  const { send } = await crmOf(t, { ana });
  const me = dataOf<Record<string, unknown>>(await send("GET", "/me", as("ana")));
  const { tenantId, integrationId, keyId } = me;
  assert.deepEqual([tenantId, integrationId, keyId, me.scopes], [one.id, null, null, scopes]);
  assert.equal(verdict(await send("GET", `/tasks/${one.task}`, as("ana"))), "200");
  assert.equal(verdict(await send("GET", `/tasks/${two.task}`, as("ana"))), "404 not_found");
  const foreign = await send("GET", `/tasks?tenantId=${two.id}`, as("ana"));
  assert.equal(verdict(foreign), "422 invalid_reference: ?tenantId not_found");
});

test("a tenant ID in upper case is the same tenant", async (t) => {
  const lettered = { ...testTenant(3), id: "0195abcd-0000-7000-9000-000000000003" };
  const { send, storage, clock } = await crmOf(t, { capitals: { tenantId: lettered.id.toUpperCase(), scopes } });
  await loadTenantFile(storage, tenantFile(lettered), { clock, newId: sequentialIds() });
  assert.equal(dataOf<{ tenantId: string }>(await send("GET", "/me", as("capitals"))).tenantId, lettered.id);
  assert.equal(verdict(await send("GET", `/tasks/${lettered.task}?tenantId=${lettered.id}`, as("capitals"))), "200");
});

test("only the scopes that authenticate returns apply", async (t) => {
  const { send } = await crmOf(t, { reader: { ...ana, scopes: ["tasks:read"] } });
  assert.equal(verdict(await send("GET", "/tasks", as("reader"))), "200");
  const rejected = await send("POST", "/tasks", as("reader", { title: "Call" }));
  assert.deepEqual(
    [rejected.status, errorOf(rejected).details],
    [403, { required: "tasks:write", granted: ["tasks:read"] }],
  );
});

test("messages name the API key only if authenticate returns the ID of one", async (t) => {
  const caller = { tenantId: one.id, scopes: [] };
  const { send } = await crmOf(t, { caller, key: { ...caller, keyId: one.integration } });
  for (const [session, name] of [
    ["caller", "caller"],
    ["key", "API key"],
  ] as const) {
    const messages = [];
    for (const path of ["/tasks", "/counts", `/me?tenantId=${two.id}`])
      messages.push(errorOf(await send("GET", path, as(session))).message);
    const required = "accounts:read, contacts:read, opportunities:read, tasks:read, notes:read";
    assert.deepEqual(messages, [
      `This ${name} doesn't have the required scope tasks:read.`,
      `This ${name} has none of the scopes ${required}.`,
      `tenantId doesn't match the tenant of this ${name}. Omit it or send the ID that GET /me returns.`,
    ]);
  }
});

test("a request without a caller returns 401 even with a valid API key", async (t) => {
  const { send } = await crmOf(t, { none: undefined, null: null, later: () => Promise.resolve(undefined) });
  for (const session of ["none", "null", "later", "unheard-of"]) {
    const result = await send("GET", "/me", { ...as(session), key: one.key });
    assert.equal(verdict(result), "401 unauthorized");
    assert.equal(result.headers.get("www-authenticate"), 'Bearer realm="crm-integrations"');
  }
});

test("an error in authenticate is logged and returns 401; ApiError and StorageUnavailable keep their status", async (t) => {
  const logged: unknown[] = [];
  const broken = new Error("the session store is at /var/secret");
  const sessions = {
    broken: () => Promise.reject(broken),
    thrown: () => {
      throw broken;
    },
    own: () =>
      Promise.reject(new ApiError("unauthorized", "Sign in again.", { headers: { "WWW-Authenticate": "Session" } })),
    away: () => Promise.reject(new StorageUnavailable("away")),
  };
  const { send } = await crmOf(t, sessions, {
    logger: { error: (fields, text) => void logged.push({ ...fields, text }) },
  });
  const headers = { "x-request-id": "r-1" };
  for (const session of ["broken", "thrown"]) {
    const result = await send("GET", "/me", as(session, undefined, headers));
    assert.equal(verdict(result), "401 unauthorized");
    assert.doesNotMatch(result.text, /secret/);
  }
  const entry = { err: broken, requestId: "r-1", text: "request failed" };
  assert.deepEqual(logged.splice(0), [entry, entry]);
  const own = await send("GET", "/me", as("own"));
  assert.deepEqual(errorOf(own), { code: "unauthorized", message: "Sign in again." });
  assert.deepEqual([own.headers.get("www-authenticate"), logged], ["Session", []]);
  assert.equal(verdict(await send("GET", "/me", as("away"))), "503 internal_error");
});

test("an unknown or archived tenant returns 401; an unknown integration is logged as an error of the host", async (t) => {
  const gone = testTenant(3);
  const file = tenantFile(gone);
  const archived = { ...file, tenant: { ...(file.tenant as object), archivedAt: "2026-01-05T08:00:00.000Z" } };
  const logged: string[] = [];
  const logger = { error: (fields: Readonly<Record<string, unknown>>) => void logged.push(String(fields.err)) };
  const foreign = { ...ana, integrationId: two.integration };
  const sessions = { gone: { ...ana, tenantId: gone.id }, unknown: { ...ana, tenantId: one.task }, foreign };
  const { send, storage, clock } = await crmOf(t, sessions, { logger });
  await loadTenantFile(storage, archived, { clock, newId: sequentialIds() });
  for (const session of ["gone", "unknown"]) {
    assert.equal(verdict(await send("GET", "/me", as(session))), "401 unauthorized");
  }
  assert.equal(verdict(await send("GET", "/me", as("foreign"))), "500 internal_error");
  const message = `authenticate returned integration ${two.integration}, which tenant ${one.id} doesn't have.`;
  assert.deepEqual(logged, [`TypeError: ${message}`]);
});

test("requests are limited by key ID, user or tenant, and failures by address", async (t) => {
  const sessions = {
    ana,
    max: { ...ana, userId: one.member },
    key: { ...ana, keyId: one.integration },
    bare: { tenantId: one.id, scopes },
  };
  const { send, api } = await crmOf(t, sessions);
  const remaining = async (session: string) => {
    return (await send("GET", "/me", as(session))).headers.get("x-ratelimit-remaining");
  };
  const seen = [];
  for (const session of ["ana", "ana", "max", "key", "key", "bare", "bare"]) seen.push(await remaining(session));
  assert.deepEqual(seen, ["299", "298", "299", "299", "298", "299", "298"]);
  const statusFrom = async (remoteAddress: string) => {
    const request = new Request("http://crm.test/integrations/v1/me");
    return (await api.fetch(request, { remoteAddress })).status;
  };
  const statuses = new Set<number>();
  for (let attempt = 0; attempt < 60; attempt++) statuses.add(await statusFrom("192.0.2.1"));
  assert.deepEqual([[...statuses], await statusFrom("192.0.2.1"), await statusFrom("192.0.2.2")], [[401], 429, 401]);
});

test("an Idempotency-Key is scoped to the integration, the user or the key ID", async (t) => {
  const erp = { ...ana, integrationId: one.integration };
  const [key, other] = ["k", "q"].map((keyId) => ({ ...ana, userId: null, keyId }));
  const sessions = { ana, max: { ...ana, userId: one.member }, key, other, erp };
  const { send } = await crmOf(t, sessions);
  const once = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
  const created = new Set<string>();
  for (const session of Object.keys(sessions)) {
    const first = await send("POST", "/tasks", as(session, { title: "Call" }, once));
    const again = await send("POST", "/tasks", as(session, { title: "Call" }, once));
    assert.deepEqual(
      [first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")],
      [null, "true"],
    );
    assert.equal(again.text, first.text);
    created.add(dataOf(first, 201).id);
  }
  assert.equal(created.size, 5);
});

test("authenticate gets the env of the request and isn't called for admin endpoints", async (t) => {
  const received: unknown[] = [];
  const authenticate: Authenticate = (request, { remoteAddress, hostRequest }) => {
    received.push([request.method, new URL(request.url).pathname, remoteAddress, hostRequest]);
    return ana;
  };
  const crm: TestCrm = await crmOf(t, {}, { authenticate, adminAuth });
  const user = { name: "ana" };
  const request = new Request("http://crm.test/eu/integrations/v1/me", { headers: {} });
  assert.equal((await crm.api.fetch(request, { remoteAddress: "192.0.2.1", hostRequest: user })).status, 200);
  assert.deepEqual(received.splice(0), [["GET", "/eu/integrations/v1/me", "192.0.2.1", user]]);
  assert.equal(verdict(await crm.send("GET", "http://crm.test/integrations/api-key")), "401 unauthorized");
  assert.equal(verdict(await adminOf(crm, one.id, one.admin)("GET", "/api-key")), "200");
  assert.equal(verdict(await adminOf(crm, one.id, one.member)("GET", "/api-key")), "403 insufficient_scope");
  assert.deepEqual(received, []);
});
