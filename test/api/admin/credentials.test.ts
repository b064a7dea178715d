import assert from "node:assert/strict";
import { after, test } from "node:test";
import { adminAuth, adminOf, tokenFor } from "../../support/admin.ts";
import { testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key, secondKey } = one;
const crm = await testCrm([one], { adminAuth });
after(() => crm.api.close());

async function statusAndMessage(headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const result = await crm.send("GET", "/me", { headers });
  return result.status === 200 ? [200] : [result.status, errorOf(result).message];
}

test("a valid x-api-key wins over an Authorization header without an API key", async () => {
  crm.clock.advance(60_000);
  const jwt = await tokenFor(crm, one.id, one.admin);
  for (const authorization of [`Bearer ${jwt}`, "Basic dXNlcjpzZWNyZXQ=", "Bearer gateway", "", `Bearer ${key}`])
    assert.deepEqual(await statusAndMessage({ "x-api-key": key, authorization }), [200], authorization);
});

test("two different API keys are rejected, also if one of them is malformed", async () => {
  crm.clock.advance(60_000);
  const message = "x-api-key and Authorization contain different API keys. Send only one.";
  for (const authorization of [`Bearer ${secondKey}`, `Bearer ${one.revokedKey}`, `Bearer ${key}x`, secondKey])
    assert.deepEqual(await statusAndMessage({ "x-api-key": key, authorization }), [401, message], authorization);
});

test("an invalid x-api-key isn't replaced by the Authorization header", async () => {
  crm.clock.advance(60_000);
  const jwt = await tokenFor(crm, one.id, one.admin);
  const sent = { "x-api-key": one.revokedKey, authorization: `Bearer ${jwt}` };
  assert.deepEqual(await statusAndMessage(sent), [401, "Revoked API key."]);
});

for (const [name, headers, message] of [
  ["an empty x-api-key", { "x-api-key": "" }, "The header x-api-key is empty. Send an API key."],
  ["an empty bearer", { authorization: "Bearer " }, "The header Authorization is empty. Send an API key."],
  ["an empty Authorization", { authorization: "" }, "The header Authorization is empty. Send an API key."],
  ["quotes", { "x-api-key": `"${key}"` }, "The API key in x-api-key is in quotes. Remove them."],
  [
    "quotes in a bearer",
    { authorization: `Bearer '${key}'` },
    "The API key in Authorization is in quotes. Remove them.",
  ],
  ["a doubled key", { "x-api-key": `${key}, ${key}` }, "The header x-api-key has several values. Send one API key."],
  [
    "a doubled bearer",
    { authorization: `Bearer ${key}, Bearer ${key}` },
    "The header Authorization has several values. Send one API key.",
  ],
  ["Bearer in x-api-key", { "x-api-key": `Bearer ${key}` }, "The API key in x-api-key starts with Bearer. Remove it."],
  [
    "Bearer twice",
    { authorization: `Bearer Bearer ${key}` },
    "The API key in Authorization starts with Bearer. Remove it.",
  ],
  ["no scheme", { authorization: key }, "The Authorization header must have the form: Bearer API_KEY."],
  ["a cut key", { "x-api-key": key.slice(0, -1) }, "Malformed API key. It was truncated or mistyped."],
] as const) {
  test(`401 names ${name}`, async () => {
    crm.clock.advance(60_000);
    assert.deepEqual(await statusAndMessage(headers), [401, message]);
  });
}

test("401 names an expired admin token", async () => {
  crm.clock.advance(60_000);
  const asAdmin = adminOf(crm, one.id, one.admin);
  assert.equal((await asAdmin("GET", "/api-key")).status, 200);
  const token = await tokenFor(crm, one.id, one.admin);
  crm.clock.advance(3_600_000);
  const headers = { authorization: `Bearer ${token}` };
  const result = await crm.send("GET", "http://crm.test/integrations/api-key", { headers });
  assert.deepEqual([result.status, errorOf(result).message], [401, "Expired admin token. Get a new one."]);
});

test("parameters of other page styles are rejected with the ones to use", async () => {
  crm.clock.advance(60_000);
  const messageOf = async (path: string) => errorOf(await crm.send("GET", path, { key })).message;
  const next = "Use cursor to get the next page.";
  assert.equal(await messageOf("/tasks?page=2"), `Unknown parameter "page". ${next}`);
  assert.equal(await messageOf("/tasks?offset=50"), `Unknown parameter "offset". ${next}`);
  assert.equal(await messageOf("/tasks?sort=name"), `Unknown parameter "sort". Pages are sorted by updatedAt. ${next}`);
  assert.equal(
    await messageOf("/tasks?per_page=10"),
    `Unknown parameter "per_page". Use limit to set the page size, and cursor to get the next page.`,
  );
  assert.equal(await messageOf("/users?page=2"), 'Unknown parameter "page".');
});
