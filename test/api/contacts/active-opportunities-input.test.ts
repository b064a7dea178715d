import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { activeOpportunitiesSql } from "../../../lib/storage/sqlite/active-opportunities.ts";
import { openWriter } from "../../../lib/storage/sqlite/open.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

/** With letters in its id. */
const one = { ...testTenant(1), id: "0195abcd-0000-7000-9000-00000000000f" };
const two = testTenant(2);
const { api, send } = await testCrm([one, two]);
after(() => api.close());

function listActive(body: unknown, key = one.key): Promise<Result> {
  return send("POST", "/contacts/opportunities/active", { key, body });
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `person-${index}@acme.test`);
}

test("the list accepts 0 to 100 addresses, including repeated ones", async () => {
  assert.deepEqual((await listActive({ tenantId: one.id, emails: [] })).body, { data: [] });
  const hundred = await listActive({ tenantId: one.id, emails: addresses(100) });
  const items = addresses(100).map((email) => ({ email, contactId: null, opportunities: [], hasMore: false }));
  assert.deepEqual([hundred.status, hundred.body], [200, { data: items }]);
  const many = [addresses(101), Array.from({ length: 101 }, () => "carla@acme.test")];
  // Of a list that is too long, the entries are not looked at.
  for (const emails of [...many, Array.from({ length: 1_000 }, () => 0)]) {
    const message = "emails must have at most 100 entries.";
    const errors = [{ path: "/emails", code: "out_of_range", message, limits: { maxItems: 100 } }];
    const result = await listActive({ tenantId: one.id, emails });
    assert.deepEqual(result.body, { error: { code: "validation_error", message, details: { errors } } });
    assert.equal(result.status, 400);
  }
});

const wrong: readonly (readonly [what: string, body: Record<string, unknown>, verdict: string])[] = [
  ["no tenantId", { emails: [] }, "400 validation_error: /tenantId required"],
  ["no emails", { tenantId: one.id }, "400 validation_error: /emails required"],
  ["neither", {}, "400 validation_error: /tenantId required, /emails required"],
  ["a tenantId that is a number", { tenantId: 7, emails: [] }, "400 validation_error: /tenantId invalid_type"],
  ["a tenantId that is null", { tenantId: null, emails: [] }, "400 validation_error: /tenantId invalid_type"],
  ["another tenant's id", { tenantId: two.id, emails: [] }, "422 invalid_reference: /tenantId not_found"],
  ["an unknown ID", { tenantId: one.account, emails: [] }, "422 invalid_reference: /tenantId not_found"],
  [
    "another tenant's id and a bad address",
    { tenantId: two.id, emails: ["x"] },
    "422 invalid_reference: /tenantId not_found",
  ],
  ["emails that are a string", { tenantId: one.id, emails: "a@b.test" }, "400 validation_error: /emails invalid_type"],
  ["emails that are null", { tenantId: one.id, emails: null }, "400 validation_error: /emails invalid_type"],
  [
    "entries that aren't strings",
    { tenantId: one.id, emails: ["a@b.test", "x", 5, null, ["a@b.test"]] },
    `400 validation_error: ${[2, 3, 4].map((at) => `/emails/${at} invalid_type`).join(", ")}`,
  ],
  ["a misspelt key", { tenantId: one.id, email: [] }, "400 validation_error: /email unknown_key, /emails required"],
];
for (const [what, body, expected] of wrong) {
  test(`POST /contacts/opportunities/active returns 400 for ${what}`, async () => {
    assert.equal(verdict(await listActive(body)), expected);
  });
}

test("a text that isn't an email address matches no contact", async () => {
  const long = `${"a".repeat(250)}@b.test`;
  const emails = ["x", "CARLA@acme.test", "", "a@b", "a b@c.test", "a@b.test, c@d.test", long, "\0", "\ud800", "X"];
  const result = await listActive({ tenantId: one.id, emails });
  assert.equal(result.status, 200);
  const { data } = result.body as { data: { email: string; contactId: string | null }[] };
  assert.deepEqual(
    data.map(({ email, contactId }) => [email, contactId]),
    emails.slice(0, -1).map((email) => [email, email === "CARLA@acme.test" ? one.contact : null]),
  );
});

test("tenantId ignores case, and a tenantId in the query must match the API key", async () => {
  const body = { tenantId: one.id.toUpperCase(), emails: [] };
  assert.equal((await listActive(body)).status, 200);
  const path = `/contacts/opportunities/active?tenantId=${two.id}`;
  assert.equal(verdict(await send("POST", path, { key: one.key, body })), "422 invalid_reference: ?tenantId not_found");
});

test("it requires opportunities:read, and its path isn't the ID of a contact", async () => {
  const rejected = await listActive({ tenantId: one.id, emails: [] }, one.readKey);
  assert.deepEqual(
    [rejected.status, (rejected.body as { error: { details: unknown } }).error.details],
    [403, { required: "opportunities:read", granted: ["tasks:read"] }],
  );
  const read = await send("GET", "/contacts/opportunities/active", { key: one.key });
  assert.deepEqual([read.status, read.headers.get("allow")], [405, "POST, OPTIONS"]);
});

test("a retry with the same Idempotency-Key returns the first response", async () => {
  const headers = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
  const sent = { key: one.key, headers, body: { tenantId: one.id, emails: ["carla@acme.test"] } };
  const first = await send("POST", "/contacts/opportunities/active", sent);
  const again = await send("POST", "/contacts/opportunities/active", sent);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
});

const database = openWriter(":memory:");

test("100 addresses need one SQL statement", async () => {
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1")) as Record<"all" | "get" | "run", () => unknown>;
  const run: string[] = [];
  for (const name of ["all", "get", "run"] as const) {
    const original = statement[name];
    mock.method(statement, name, function (this: { source: string }, ...values: never[]) {
      if (/\b(?:contacts|opportunities|opportunity_contacts|accounts|stages|pipelines)\b/.test(this.source))
        run.push(this.source);
      return original.apply(this as never, values as never);
    });
  }
  for (const count of [1, 100])
    assert.equal((await listActive({ tenantId: one.id, emails: addresses(count) })).status, 200);
  mock.restoreAll();
  assert.deepEqual(run, [activeOpportunitiesSql, activeOpportunitiesSql]);
});

test("the SQL statement uses indexes and scans only the list of addresses", () => {
  const steps = database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${activeOpportunitiesSql}`)
    .all(50, '["a@b.test"]', one.id)
    .map(({ detail }) => detail);
  const scans = steps.filter((step) => step.startsWith("SCAN"));
  assert.deepEqual(
    [
      scans.filter((step) => !/^SCAN (?:emails|\(subquery)/.test(step)),
      steps.filter((step) => step.includes("TEMP B-TREE")),
    ],
    [[], []],
    steps.join("\n"),
  );
  for (const step of steps.filter((step) => step.startsWith("SEARCH")))
    assert.match(step, /\(tenant_id=\? AND (?:id|email_key|contact_id)=\?/);
});
