import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Result } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { figures } from "../size.ts";
import { assertSameRows } from "./database-rows.ts";
import type { TestCall } from "./requests.ts";
import { closed, one, roles, type Verdict } from "./roles.ts";
import { type Credential, credentialOf, openShared } from "./shared-database.ts";
import { addEvents, recordUse, successfulCalls, textsOf } from "./tenant-texts.ts";
import { others } from "./tenants.ts";

/**
 * Sends each kind of credential to each endpoint, with a request that succeeds with the right one. The allowed
 * credentials follow only from the endpoint's access and scope.
 */

const { unrelated } = others;
const shared = await openShared([one, unrelated, closed]);
after(() => shared.close());
await addEvents(shared, one);
// The use of an API key is written once a minute, so that the tests don't write it again while the clock is stopped.
for (const { sent } of Object.values(roles)) await recordUse(shared, one, sent);
shared.keep();
const { watched, api } = shared;
const ours = textsOf(shared, one);
const calls = await successfulCalls(shared, one, ours);
const counted = { requests: 0, roles: Object.keys(roles).length, endpoints: api.endpoints.length };

const before = rows();
let callers = 0;

/** Uses a new address each time, because failed authentication is limited by address. */
function send(call: TestCall, credential: Credential): Promise<Result> {
  counted.requests++;
  return shared.call(call, { id: (++callers).toString(16) }, credential);
}

const realms = { admin: 'Bearer realm="crm-integrations admin"', integration: 'Bearer realm="crm-integrations"' };

function assertRejected(result: Result, call: TestCall, expected: Verdict): void {
  const description = `${call.endpoint.name}: ${result.text}`;
  if (expected === "401 unauthorized") {
    assert.equal(verdict(result), expected, description);
    const realm = realms[call.endpoint.access ?? "integration"];
    assert.ok(result.headers.get("www-authenticate")?.startsWith(realm), description);
    return;
  }
  if (expected === "404 not_found") {
    assert.equal(verdict(result), expected, description);
    return;
  }
  assert.equal(result.status, 403, description);
  const required = expected.slice(4);
  const { error } = result.body as { error: { code: string; message: string; details: { required: string } } };
  const message =
    required === "admin"
      ? "The user isn't an active admin of the tenant."
      : required.includes(" ")
        ? `This API key has none of the scopes ${required.replaceAll(" ", ", ")}.`
        : `This API key doesn't have the required scope ${required}.`;
  assert.deepEqual([error.code, error.message], ["insufficient_scope", message], description);
  assert.equal(error.details.required, required, description);
}

for (const [who, { sent, at }] of Object.entries(roles)) {
  test(`${who} can access only the allowed endpoints`, async () => {
    for (const call of calls) {
      const expected = at(call);
      const result = await send(call, sent);
      if (expected === "in") assert.ok(result.status < 300, `${call.endpoint.name}: ${result.text}`);
      else {
        assertRejected(result, call, expected);
        if (watched.changed()) assertSameRows(rows(), before, `${call.endpoint.name} changed something`);
      }
      shared.restore();
    }
  });
}

/** Returns all rows of the tenant, except for the last use of API keys. */
function rows(): readonly string[] {
  const tables = watched.tables.filter((name) => name !== "api_keys" && name !== "tenant_clocks");
  const keys = watched.rows("api_keys", one.id).map((row) => ({ ...row, last_used_at: 0, updated_at: 0 }));
  return [...keys, ...tables.flatMap((table) => watched.rows(table, one.id))].map((row) => JSON.stringify(row));
}

test("another tenant's API key and admin can access their own records and nothing of this tenant", async () => {
  const theirs = textsOf(shared, unrelated);
  const unique = ours.filter((word) => word.length > 8 && !theirs.some((their) => their.includes(word)));
  for (const call of calls) {
    const { status, text } = await send(call, await credentialOf(call, unrelated));
    const seen = unique.filter((word) => text.includes(word));
    assert.deepEqual(seen, [], `${call.endpoint.name}: ${text}`);
    assert.ok(status !== 401 && status !== 403 && status < 500, `${call.endpoint.name}: ${text}`);
    assert.deepEqual(watched.changes({ tenant: one.id }), [], call.endpoint.name);
    shared.restore();
  }
});

/** The required scopes that don't follow from the path. For the catalog, by entity. */
const particular: Readonly<Record<string, string>> = {
  "listActiveOpportunities ": "opportunities:read",
  "listCustomFields account": "accounts:read",
  "listCustomFields contact": "contacts:read",
  "listCustomFields opportunity": "opportunities:read",
  "getAccountSchema ": "accounts:read",
  "getContactSchema ": "contacts:read",
  "getOpportunitySchema ": "opportunities:read",
  "getTaskSchema ": "tasks:read",
  "getNoteSchema ": "notes:read",
  "resolveGrant ": "nothing",
  "searchRecords ": "nothing",
  "getCounts ": "nothing",
  "listEvents ": "nothing",
  "getMe ": "nothing",
  "listRequests ": "nothing",
  "getRequest ": "nothing",
};

test("an endpoint requires the scope of its path: read for GET, write for other methods, except where it sets its own", () => {
  for (const { endpoint, query } of calls.filter(({ endpoint }) => endpoint.access !== "admin")) {
    const { name, path, method, scope } = endpoint;
    const usual = `${path.split("/")[1]}:${method === "GET" ? "read" : "write"}`;
    const actual = typeof scope === "function" ? scope(query) : scope;
    assert.equal(actual ?? "nothing", particular[`${name} ${query.entity ?? ""}`] ?? usual, name);
  }
  const names = api.endpoints.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, "every operation has a name of its own");
});

test("each credential can access only the endpoints that allow it", (t) => figures(t, "isolated-roles", counted));
