import assert from "node:assert/strict";
import { test } from "node:test";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { errorOf, one, openCrm, owner, two } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";

const crm = await openCrm({}, { adminAuth });
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

/** Values of the wrong type and their messages, which contain neither the validator's default words nor the value. */
const wrongTypes: Readonly<Record<string, readonly string[]>> = {
  '{"name":5}': ["name must be a string."],
  '{"name":"a","address":"Main Street"}': ["address must be an object."],
  '{"name":"a","address":{"city":7}}': ["address.city must be a string."],
  '{"name":"a","customFields":"none"}': ["customFields must be an object of custom field values."],
  '{"name":"a","customFields":null}': ["customFields must be an object of custom field values, not null."],
  '{"name":"a","ownerId":true}': ["ownerId must be a UUID."],
  '{"name":null,"address":5}': ["name must be a string, not null.", "address must be an object."],
};

for (const [raw, messages] of Object.entries(wrongTypes)) {
  test(`${raw} returns a message of the API`, async () => {
    const rejected = await crm.send("POST", "/accounts", { key, raw });
    const found = errorOf(rejected).details?.errors?.map(({ message }) => message);
    assert.deepEqual([rejected.status, found], [400, messages]);
  });
}

const origin = "http://crm.test";
const base = "/integrations/v1";

for (const [path, suggestion] of [
  [`${base}/acounts`, `${base}/accounts`],
  [`${base}/opportunity/${one.task}`, `${base}/opportunities/{id}`],
  [`${base}/task/${one.task}/restore`, `${base}/tasks/{id}/restore`],
  [`/gateway${base}/customfields`, `${base}/custom-fields`],
  [`${base}/doc`, `${base}/docs`],
  [`${base}/openapi.yaml`, `${base}/openapi.json`],
  ["/integrations/api-key/generat", "/integrations/api-key/generate"],
  ["/integrations/accounts", `${base}/accounts`],
  [`/v1/tasks/${one.task}`, `${base}/tasks/{id}`],
  ["/accounts", `${base}/accounts`],
] as const) {
  test(`the 404 of ${path} suggests ${suggestion}`, async () => {
    const result = await crm.send("GET", origin + path, { key });
    const message = `Unknown path. Did you mean "${suggestion}"?`;
    assert.deepEqual([result.status, errorOf(result)], [404, { code: "not_found", message }]);
  });
}

test("a path that resembles no path of the API gets no suggestion", async () => {
  for (const path of ["/", "/favicon.ico", `${base}/`, `${base}/warehouse`, `${base}/${"x".repeat(5_000)}`]) {
    const result = await crm.send("GET", origin + path, { key });
    assert.deepEqual([result.status, errorOf(result).message], [404, "Unknown path."], path);
  }
});

test("an unknown parameter or field lists what is allowed, at most 20 names", async () => {
  const allowedIn = async (method: string, path: string, body?: unknown) => {
    const { details } = errorOf(await crm.send(method, path, { key, ...(body === undefined ? {} : { body }) }));
    return details?.errors?.map(({ allowed }) => allowed);
  };
  const users = ["email", "active", "externalId", "tenantId"];
  assert.deepEqual(await allowedIn("GET", "/users?warehouse=1"), [users]);
  assert.deepEqual(await allowedIn("POST", "/tasks", { title: "Call", warehouse: 1 }), [
    ["title", "description", "priority", "status", "dueDate", "relatedTo", "assignedTo", "tenantId"],
  ]);
  assert.deepEqual(await allowedIn("POST", "/accounts", { name: "Acme", address: { town: "Porto" } }), [
    ["street", "city", "state", "postalCode", "country"],
  ]);
  const [opportunity] = (await allowedIn("PATCH", `/opportunities/${one.task}`, { warehouse: 1 })) ?? [];
  assert.ok((opportunity?.length ?? 0) > 10 && (opportunity?.length ?? 0) <= 20, String(opportunity));
  assert.ok(opportunity?.includes("stageId") && !opportunity.includes("createdAt"));
});

test("a request with many unknown fields gets a response of less than 64 KiB", async () => {
  const body = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
  const result = await crm.send("POST", "/opportunities", { key, body });
  assert.equal(result.status, 400);
  assert.equal(errorOf(result).details?.errors?.length, 50);
});

const options = Array.from({ length: 60 }, (_, index) => `Product family ${index + 10} of this and last year's`);
const listField = { entity: "account", label: "F", options };
const withLists = await openCrm({
  "/customFields": [
    ...["one", "two", "three"].map((key) => ({ ...listField, key, type: "list" })),
    { ...listField, key: "families", type: "multi_list" },
    { entity: "account", label: "N", key: "note", type: "text" },
    { entity: "account", label: "S", key: "since", type: "date" },
  ],
});

const pathsOf = (result: Result): string[] => (errorOf(result).details?.errors ?? []).map(({ path }) => path);

/** Invalid values of a field, and the expected error paths. */
const wrongValues: readonly [Record<string, unknown>, readonly string[]][] = [
  [{ families: ["a1", "b2"] }, ["families/0", "families/1"]],
  [{ one: "x", two: "y", three: "z" }, ["one", "two", "three"]],
  [
    { one: "x", two: "y", three: "z", families: Array.from({ length: 12 }, (_, index) => `x${index}`) },
    ["one", "two", "three", ...Array.from({ length: 12 }, (_, index) => `families/${index}`)],
  ],
];

for (const [customFields, paths] of wrongValues) {
  test(`POST /accounts reports all of ${paths.length + 2} errors, even if the options are long`, async () => {
    const body = { name: "Acme", customFields: { ...customFields, note: 5, since: "2026-02-30" } };
    const rejected = await withLists.call("POST", "/accounts", body);
    assert.deepEqual(
      pathsOf(rejected),
      [...paths, "note", "since"].map((path) => `/customFields/${path}`),
    );
    assert.equal(errorOf(rejected).details?.errorCount, undefined);
    assert.ok(Buffer.byteLength(rejected.text) <= 65_536, `${Buffer.byteLength(rejected.text)} bytes`);
  });
}

test("a message has at most 300 characters and keeps its suggestion; allowed has at most 20 values", async () => {
  const meant = "Product famly 10 of this and last year's";
  const values = { one: meant, two: meant, three: meant, families: [meant, meant], note: 5 };
  const rejected = await withLists.call("POST", "/accounts", { name: "Acme", customFields: values });
  const errors = errorOf(rejected).details?.errors ?? [];
  assert.equal(errors.length, 6);
  for (const { path, message, allowed } of errors.slice(0, 5)) {
    assert.match(
      message,
      /must be one of: Product family 10 .*\.\.\..* Did you mean "Product family 10 [^"]+"\?$/,
      path,
    );
    assert.equal(message.length, 300);
    assert.deepEqual(allowed, options.slice(0, 20));
  }
  assert.equal(errors[5]?.message, "customFields.note must be a string.");
});

test("details.errors has at most 50 entries; details.errorCount is the total", async () => {
  for (const count of [50, 51]) {
    const customFields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
    const { details } = errorOf(await withLists.call("POST", "/accounts", { name: "Acme", customFields }));
    assert.deepEqual([details?.errors?.length, details?.errorCount], [50, count === 50 ? undefined : 51]);
  }
});
