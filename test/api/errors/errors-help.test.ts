import assert from "node:assert/strict";
import { test } from "node:test";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { errorOf, one, openCrm, owner, two } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";

const crm = await openCrm({}, { adminAuth });
test.after(() => crm.api.close());
const admin = adminOf(crm, one.id, owner);

const messageOf = (result: Result): string => errorOf(result).message;
const messagesOf = (result: Result): string =>
  (errorOf(result).details?.errors ?? []).map(({ message }) => message).join();
const { key } = one;

test("a truncated name in an error ends with a whole character", async () => {
  const long = (length: number): string => `${"a".repeat(length)}😀`;
  const twice = encodeURIComponent(long(59));
  const responses = [
    await crm.send("POST", "/tasks", { key, body: { title: "x", [long(99)]: 1 } }),
    await crm.send("POST", "/accounts", { key, body: { name: "x", customFields: { [long(99)]: 1, [long(59)]: 1 } } }),
    await crm.send("GET", `/tasks?${twice}=1&${twice}=2`, { key }),
    await crm.send("POST", "/tasks", { key, raw: `{"title":"x","${long(58)}":1,"${long(58)}":2}` }),
    await crm.send("POST", "/tasks", { key, raw: '{"title":"x","\\ud83d":1}' }),
  ];
  for (const { status, text, body } of responses) {
    assert.ok(status >= 400);
    assert.ok(
      Object.values(flat(body)).every((each) => each.isWellFormed()),
      text,
    );
  }
});

test("the name of a repeated parameter is returned without control characters", async () => {
  const rejected = await crm.send("GET", "/tasks?%1b%5B31mx=1&%1b%5B31mx=2", { key });
  assert.match(messagesOf(rejected), /^"\?\[31mx" occurs more than once. Send it once\.,/);
});

test("errors about tenant, rate limit and key mention the admin token for admin requests", async () => {
  const invalid = await admin("POST", "/api-key/generate", { body: { tenantId: two.id } });
  assert.equal(
    messagesOf(invalid),
    "tenantId doesn't match the tenant of this token. Omit it or send the tenantId of the token.",
  );
  const mistaken = await crm.send("GET", "http://crm.test/integrations/api-key", {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(messageOf(mistaken), "API keys aren't accepted here. Send an admin token.");
  for (let count = 0; count < 300; count++) await admin("GET", "/api-key");
  assert.match(
    messageOf(await admin("GET", "/api-key")),
    /^Rate limit exceeded \(300 requests per minute\)\. Retry after/,
  );
});

test("an unescaped + in a query string returns a hint to write %2B", async () => {
  const rejected = await crm.send("GET", "/contacts?email=ana+crm@example.com", { key });
  const expected = "email must be an email address, such as ana@example.com";
  assert.equal(messageOf(rejected), `${expected} (in a URL, write + as %2B).`);
  assert.equal(messageOf(await crm.send("GET", "/contacts?email=ana", { key })), `${expected}.`);
  assert.equal((await crm.send("GET", "/contacts?email=ana%2Bcrm@example.com", { key })).status, 200);
  const body = { name: "Ana", email: "ana crm@example.com" };
  assert.equal(messageOf(await crm.send("POST", "/contacts", { key, body })), `${expected}.`, "a body has no URL");
});

function flat(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap((each) => each.flatMap(flat)) : [];
}
