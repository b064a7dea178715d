import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Result, type Sent, testCrm } from "../../support/harness.ts";
import { errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const { send, api, clock } = await testCrm([one, two]);
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const title = { title: "Call" };
const closed = await send("POST", "/tasks", { key, body: { ...title, status: "completed" } });
const closedPath = `/${closed.headers.get("location")}`;
after(() => api.close());

/** In the order of the code list, all that there are. */
const codes = [
  "validation_error",
  "invalid_cursor",
  "bad_request",
  "unauthorized",
  "insufficient_scope",
  "not_found",
  "duplicate",
  "conflict",
  "tenant_without_admin",
  "invalid_reference",
  "idempotency_key_reused",
  "unknown_custom_field",
  "invalid_custom_field",
  "rate_limited",
  "internal_error",
];

const always = ["cache-control", "x-content-type-options", "x-request-id"];
const rate = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const json = ["content-type"];

/** A request, its response in one line, and its headers in addition to the common ones. */
type Row = readonly [what: string, method: string, path: string, sent: Sent, verdict: string, headers: string[]];

const tooLong = { "content-length": "1048577" };
const beforeAuthentication: readonly Row[] = [
  ["a path that is unknown", "GET", "/nothing", { key }, "404 not_found", []],
  ["the base path alone", "GET", "", { key }, "404 not_found", []],
  ["a path without the base path", "GET", "http://crm.test/tasks", { key }, "404 not_found", []],
  ["a longer path", "GET", `/tasks/${one.task}/title`, { key }, "404 not_found", []],
  ["another version", "GET", "http://crm.test/integrations/v2/tasks", { key }, "404 not_found", []],
  ["a method that the list does not take", "PUT", "/tasks", { key, body: title }, "405 bad_request", ["allow"]],
  ["a declared length over 1 MiB", "POST", "/tasks", { key, raw: "{}", headers: tooLong }, "413 bad_request", []],
  ["no key", "GET", "/tasks", {}, "401 unauthorized", ["www-authenticate"]],
  ["a key cut off", "GET", "/tasks", { key: key.slice(0, -1) }, "401 unauthorized", ["www-authenticate"]],
  ["a revoked key", "GET", "/me", { key: one.revokedKey }, "401 unauthorized", ["www-authenticate"]],
  ["an expired key", "GET", "/me", { key: one.expiredKey }, "401 unauthorized", ["www-authenticate"]],
];

const posted = { "idempotency-key": "\u00e9" };
const afterAuthentication: readonly Row[] = [
  ["a list", "GET", "/tasks", { key }, "200", [...json, "x-next-updated-since"]],
  ["a page", "GET", "/tasks?limit=1", { key }, "200", [...json, "x-next-updated-since", "link"]],
  ["one task", "GET", `/tasks/${one.task}`, { key }, "200", [...json, "etag"]],
  ["an unchanged task", "GET", `/tasks/${one.task}`, { key, headers: { "if-none-match": "*" } }, "304", ["etag"]],
  ["an outdated change", "DELETE", `/tasks/${one.task}`, { key, headers: { "if-match": '""' } }, "412 conflict", json],
  ["a plain list", "GET", "/users", { key }, "200", json],
  ["who am I", "GET", "/me", { key }, "200", json],
  ["a new task", "POST", "/tasks", { key, body: title }, "201", [...json, "etag", "location"]],
  ["a change", "PATCH", closedPath, { key, body: {} }, "200", [...json, "etag"]],
  ["a body that is not JSON by its type", "POST", "/tasks", form(), "415 bad_request", json],
  ["a body that is not JSON", "POST", "/tasks", { key, raw: "{" }, "400 bad_request", json],
  ["no body", "POST", "/tasks", { key }, "400 bad_request", json],
  ["a missing key", "POST", "/tasks", { key, body: {} }, "400 validation_error: /title required", json],
  ["a limit of 0", "GET", "/tasks?limit=0", { key }, "400 validation_error: ?limit out_of_range", json],
  ["an invalid cursor", "GET", "/tasks?cursor=abc", { key }, "400 invalid_cursor", json],
  ["a badly encoded query", "GET", "/tasks?cursor=%ff", { key }, "400 validation_error: ?cursor invalid_format", json],
  ["no scope to read", "GET", "/tasks", { key: one.bareKey }, "403 insufficient_scope", json],
  ["no scope to write", "POST", "/tasks", { key: one.readKey, body: title }, "403 insufficient_scope", json],
  ["no scope for users", "GET", "/users", { key: one.readKey }, "403 insufficient_scope", json],
  ["another tenant", "GET", `/me?tenantId=${two.id}`, { key }, "422 invalid_reference: ?tenantId not_found", json],
  ["an unknown task", "GET", `/tasks/${unknown}`, { key }, "404 not_found", json],
  ["an unknown user", "GET", `/users/${unknown}`, { key }, "404 not_found", json],
  ["an id that is none", "DELETE", "/tasks/1", { key }, "404 not_found", json],
  ["a stale change", "PATCH", closedPath, { key, body: { updatedAt: "2026-01-01T00:00:00Z" } }, "409 conflict", json],
  [
    "an unknown reference",
    "PATCH",
    closedPath,
    { key, body: { assignedTo: two.member } },
    "422 invalid_reference: /assignedTo not_found",
    json,
  ],
  [
    "an idempotency key that is not ASCII",
    "POST",
    "/tasks",
    { key, body: title, headers: posted },
    "400 validation_error: Idempotency-Key invalid_format",
    json,
  ],
  ["the archiving", "DELETE", closedPath, { key }, "204", []],
];

for (const [what, method, path, sent, expected, headers] of beforeAuthentication) {
  test(`${what}: ${expected}, with the common headers and without rate limit headers`, async () => {
    assertResponse(await send(method, path, sent), expected, [...always, ...json, ...headers]);
  });
}

for (const [what, method, path, sent, expected, headers] of afterAuthentication) {
  test(`${what}: ${expected}, with the common headers and the rate limit headers`, async () => {
    clock.advance(60_000);
    const result = await send(method, path, sent);
    assertResponse(result, expected, [...always, ...rate, ...headers]);
    const reset = String(Math.ceil((clock.now() + 60_000) / 1000));
    assert.deepEqual(
      rate.map((name) => result.headers.get(name)),
      ["300", "299", reset],
    );
  });
}

test("405 lists the allowed methods in Allow", async () => {
  const allow: Record<string, string> = {
    "/tasks": "GET, POST, HEAD, OPTIONS",
    [closedPath]: "GET, PATCH, DELETE, HEAD, OPTIONS",
    [`${closedPath}/restore`]: "POST, OPTIONS",
    "/users": "GET, HEAD, OPTIONS",
    "/me": "GET, HEAD, OPTIONS",
  };
  for (const [path, methods] of Object.entries(allow)) {
    assert.equal((await send("PUT", path)).headers.get("allow"), methods, path);
  }
});

test("403 names the required scope", async () => {
  const rejected = await send("DELETE", `/tasks/${one.task}`, { key: one.readKey });
  assert.equal(errorOf(rejected).details?.required, "tasks:write");
});

test("401 names the scheme, and invalid_token only if a token was sent", async () => {
  const challenge = async (sent: Sent) => (await send("GET", "/me", sent)).headers.get("www-authenticate");
  assert.equal(await challenge({}), 'Bearer realm="crm-integrations"');
  assert.equal(await challenge({ key: "x" }), 'Bearer realm="crm-integrations", error="invalid_token"');
});

test("a request ID of 1 to 128 plain characters is returned, in success and in error", async () => {
  for (const id of ["a", "9", "a".repeat(128), "order:2026-03-01_A.b"]) {
    for (const path of ["/me", "/nothing", "/me?x=1"]) {
      const { headers } = await send("GET", path, { key, headers: { "x-request-id": id } });
      assert.equal(headers.get("x-request-id"), id, path);
    }
  }
});

test("any other request ID is replaced by a new UUID", async () => {
  const seen = new Set<string>();
  for (const id of ["", "a".repeat(129), "a b", "a,b", "a/b", "ä", '"a"', "<script>"]) {
    const { headers } = await send("GET", "/nothing", { headers: { "x-request-id": id } });
    const given = headers.get("x-request-id") ?? "";
    assert.match(given, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, id);
    seen.add(given);
  }
  assert.equal(seen.size, 8);
});

/** A body as a browser's form sends it. */
function form(): Sent {
  return { key, raw: "title=Call", headers: { "content-type": "application/x-www-form-urlencoded" } };
}

/** Checks that a response has the documented envelope and exactly these headers, without CORS. */
function assertResponse(result: Result, expected: string, headers: readonly string[]): void {
  assert.equal(verdict(result), expected, result.text);
  assert.deepEqual([...result.headers.keys()], [...headers].sort());
  assert.equal(result.headers.get("cache-control"), "no-store");
  assert.equal(result.headers.get("x-content-type-options"), "nosniff");
  if (result.headers.has("content-type")) assert.equal(result.headers.get("content-type"), "application/json");
  if (result.status < 400) return;
  const { code, message, ...rest } = errorOf(result);
  assert.ok(codes.includes(code), code);
  assert.match(message, /^.{10,}[.)?]$/);
  assert.deepEqual(Object.keys(result.body as object), ["error"]);
  assert.deepEqual(Object.keys(rest), "details" in rest ? ["details"] : []);
}
