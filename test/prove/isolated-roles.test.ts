import assert from "node:assert/strict";
import { after, test } from "node:test";
import { verdict } from "../support/answers.ts";
import type { Result } from "../support/harness.ts";
import type { Ask } from "./asks.ts";
import { wordsOf, workingAsks } from "./known.ts";
import { others } from "./neighbours.ts";
import { closed, one, roles, type Verdict } from "./roles.ts";
import { type Credential, credentialOf, openShared } from "./shared-file.ts";
import { figures } from "./size.ts";
import { assertSameRows } from "./watched-file.ts";

/**
 * Everybody at every door: each sort of credential is sent with a request of each endpoint that succeeds with the
 * right one. Whom a door is for follows from the endpoint's access and scope alone.
 */

const { stranger } = others;
const shared = await openShared([one, stranger, closed]);
after(() => shared.close());
shared.keep();
const { watched, api } = shared;
const ours = wordsOf(shared, one);
const asks = await workingAsks(shared, one, ours);
const counted = { requests: 0, roles: Object.keys(roles).length, endpoints: api.endpoints.length };

const before = kept();
let callers = 0;

/** From an address of its own each time: failed authentication is limited by address. */
function send(ask: Ask, credential: Credential): Promise<Result> {
  counted.requests++;
  return shared.ask(ask, { id: (++callers).toString(16) }, credential);
}

const realms = { admin: 'Bearer realm="crm-integrations admin"', integration: 'Bearer realm="crm-integrations"' };

function assertRefused(result: Result, ask: Ask, expected: Verdict): void {
  const told = `${ask.endpoint.name}: ${result.text}`;
  if (expected === "401 unauthorized") {
    assert.equal(verdict(result), expected, told);
    const realm = realms[ask.endpoint.access ?? "integration"];
    assert.ok(result.headers.get("www-authenticate")?.startsWith(realm), told);
    return;
  }
  assert.equal(result.status, 403, told);
  const required = expected.slice(4);
  const { error } = result.body as { error: { code: string; message: string; details: { required: string } } };
  const message =
    required === "admin"
      ? "The user isn't an active admin of the tenant."
      : required.includes(" ")
        ? `This API key has none of the scopes ${required.replaceAll(" ", ", ")}.`
        : `This API key doesn't have the required scope ${required}.`;
  assert.deepEqual([error.code, error.message], ["insufficient_scope", message], told);
  assert.equal(error.details.required, required, told);
}

for (const [who, { sent, at }] of Object.entries(roles)) {
  test(`${who} can access only the allowed endpoints`, async () => {
    for (const ask of asks) {
      const expected = at(ask);
      const result = await send(ask, sent);
      if (expected === "in") assert.ok(result.status < 300, `${ask.endpoint.name}: ${result.text}`);
      else {
        assertRefused(result, ask, expected);
        if (watched.changed()) assertSameRows(kept(), before, `${ask.endpoint.name} changed something`);
      }
      shared.restore();
    }
  });
}

/** All that is kept of the tenant, but for the note that a key was used. */
function kept(): readonly string[] {
  const tables = watched.tables.filter((name) => name !== "api_keys" && name !== "tenant_clocks");
  const keys = watched.rows("api_keys", one.id).map((row) => ({ ...row, last_used_at: 0, updated_at: 0 }));
  return [...keys, ...tables.flatMap((table) => watched.rows(table, one.id))].map((row) => JSON.stringify(row));
}

test("another tenant's API key and admin can access their own records and nothing of this tenant", async () => {
  const theirs = wordsOf(shared, stranger);
  const unique = ours.filter((word) => word.length > 8 && !theirs.some((their) => their.includes(word)));
  const all = watched.contents({ tenant: one.id });
  for (const ask of asks) {
    const { status, text } = await send(ask, await credentialOf(ask, stranger));
    const seen = unique.filter((word) => text.includes(word));
    assert.deepEqual(seen, [], `${ask.endpoint.name}: ${text}`);
    assert.ok(status !== 401 && status !== 403 && status < 500, `${ask.endpoint.name}: ${text}`);
    assertSameRows(watched.contents({ tenant: one.id }), all, ask.endpoint.name);
    shared.restore();
  }
});

/** What is needed where the path does not say it; by the entity that is asked for at the catalogue. */
const particular: Readonly<Record<string, string>> = {
  "listActiveOpportunities ": "opportunities:read",
  "listCustomFields account": "accounts:read",
  "listCustomFields contact": "contacts:read",
  "listCustomFields opportunity": "opportunities:read",
  "getAccountSchema ": "accounts:read",
  "getContactSchema ": "contacts:read",
  "getOpportunitySchema ": "opportunities:read",
  "getTaskSchema ": "tasks:read",
  "resolveGrant ": "nothing",
  "search ": "nothing",
  "getMe ": "nothing",
};

test("an endpoint requires the scope of its path: read for GET, write for other methods, except where it sets its own", () => {
  for (const { endpoint, query } of asks.filter(({ endpoint }) => endpoint.access !== "admin")) {
    const { name, path, method, scope } = endpoint;
    const usual = `${path.split("/")[1]}:${method === "GET" ? "read" : "write"}`;
    const asked = typeof scope === "function" ? scope(query) : scope;
    assert.equal(asked ?? "nothing", particular[`${name} ${query.entity ?? ""}`] ?? usual, name);
  }
  const names = api.endpoints.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, "every operation has a name of its own");
});

test("each credential can access only the endpoints that allow it", (t) => figures(t, "isolated-roles", counted));
