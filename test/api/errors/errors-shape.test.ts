import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testCrm } from "../../support/harness.ts";
import { errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const { send, api, clock } = await testCrm([one, two]);
after(() => api.close());

const contact = { type: "contact", id: one.contact };

/** Invalid bodies of a new task, as JSON text, and the expected errors. */
const bodies: readonly (readonly [json: string, problems: string])[] = [
  ["{}", "/title required"],
  ['{"title":""}', "/title required"],
  ['{"title":" \\t\\n"}', "/title required"],
  ['{"title":null}', "/title invalid_type"],
  ['{"title":5}', "/title invalid_type"],
  ['{"title":{"text":"Call"}}', "/title invalid_type"],
  [`{"title":"${"é".repeat(256)}"}`, "/title too_long"],
  ['{"title":"a\\u0000b"}', "/title invalid_format"],
  ['{"title":"a\\ud800"}', "/title invalid_format"],
  ['{"title":"\\udc00\\ud800"}', "/title invalid_format"],
  ['{"title":1e999}', "/title invalid_type"],
  ['{"title":"a","description":["b"]}', "/description invalid_type"],
  ['{"title":"a","description":"\\ud800"}', "/description invalid_format"],
  ['{"title":"a","priority":"urgent"}', "/priority not_an_option"],
  ['{"title":"a","priority":"High"}', "/priority not_an_option"],
  ['{"title":"a","priority":null}', "/priority invalid_type"],
  ['{"title":"a","status":true}', "/status invalid_type"],
  ['{"title":"a","status":"__proto__"}', "/status not_an_option"],
  ['{"title":"a","dueDate":"2026-02-31T10:00:00Z"}', "/dueDate invalid_format"],
  ['{"title":"a","dueDate":"2026-03-01"}', "/dueDate invalid_format"],
  ['{"title":"a","dueDate":"2026-03-01T10:00:00"}', "/dueDate invalid_format"],
  ['{"title":"a","dueDate":1772366400}', "/dueDate invalid_type"],
  ['{"title":"a","dueDate":-1e999}', "/dueDate invalid_type"],
  ['{"title":"a","assignedTo":"ana@tenant.test"}', "/assignedTo invalid_format"],
  ['{"title":"a","assignedTo":{}}', "/assignedTo invalid_type"],
  ['{"title":"a","relatedTo":[]}', "/relatedTo invalid_type"],
  ['{"title":"a","relatedTo":[{"type":"contact"}]}', "/relatedTo invalid_type"],
  ['{"title":"a","relatedTo":"contact"}', "/relatedTo invalid_type"],
  ['{"title":"a","relatedTo":{}}', "/relatedTo/type required, /relatedTo/id required"],
  ['{"title":"a","relatedTo":{"type":"contact","id":"1"}}', "/relatedTo/id invalid_format"],
  ['{"title":"a","relatedTo":{"type":"task","id":null}}', "/relatedTo/type not_an_option, /relatedTo/id invalid_type"],
  [JSON.stringify({ title: "a", relatedTo: { ...contact, name: "Carla" } }), "/relatedTo/name unknown_key"],
  ['{"title":"a","__proto__":{"admin":true}}', "/__proto__ unknown_key"],
  ['{"title":"a","constructor":1,"toString":2}', "/constructor unknown_key, /toString unknown_key"],
  [
    '{"title":"a","relatedTo":{"__proto__":{"type":"contact"}}}',
    "/relatedTo/__proto__ unknown_key, /relatedTo/type required, /relatedTo/id required",
  ],
  ['{"title":"a","":1}', "/ unknown_key"],
  ['{"title":"a","a/b~c":1}', "/a~1b~0c unknown_key"],
  ['{"title":"a","tenantId":null}', "/tenantId invalid_type"],
  [
    '{"titel":"","status":"open","relatedTo":[]}',
    "/titel unknown_key, /title required, /status not_an_option, /relatedTo invalid_type",
  ],
];

for (const [json, problems] of bodies) {
  test(`the body ${json.length > 90 ? `${json.slice(0, 87)}...` : json} returns ${problems}`, async () => {
    clock.advance(60_000);
    assert.equal(verdict(await send("POST", "/tasks", { key, raw: json })), `400 validation_error: ${problems}`);
  });
}

const queries: readonly (readonly [query: string, problems: string])[] = [
  ["limit=0", "?limit out_of_range"],
  ["limit=201", "?limit out_of_range"],
  ["limit=-1", "?limit out_of_range"],
  ["limit=999999999999999", "?limit out_of_range"],
  ["limit=abc", "?limit invalid_type"],
  ["limit=1.5", "?limit invalid_type"],
  ["limit=1e1", "?limit invalid_type"],
  ["limit=", "?limit invalid_type"],
  ["limit", "?limit invalid_type"],
  ["limit=%201", "?limit invalid_type"],
  ["updatedSince=yesterday", "?updatedSince invalid_format"],
  ["updatedSince=2026-02-31T00:00:00Z", "?updatedSince invalid_format"],
  ["updatedSince=2026-03-01T00:00:00+02:00", "?updatedSince invalid_format"],
  ["updatedSince=2026-03-01", "?updatedSince invalid_format"],
  ["includeArchived=yes", "?includeArchived not_an_option"],
  ["limit=5&limit=5", "?limit invalid_format"],
  ["limit=5&%6Cimit=6&limit=7", "?limit invalid_format, ?limit invalid_format"],
  ["offset=10", "?offset unknown_key"],
  ["__proto__=1&constructor=2&toString=3", "?__proto__ unknown_key, ?constructor unknown_key, ?toString unknown_key"],
  ["=1", "? unknown_key"],
  ["page=2&limit=0&status=x", "?page unknown_key, ?limit out_of_range, ?status not_an_option"],
];

test("an error names the limits that the value exceeds", async () => {
  clock.advance(60_000);
  const limits = async (method: string, path: string, raw?: string) =>
    errorOf(await send(method, path, raw === undefined ? { key } : { key, raw })).details?.errors?.map(
      (error) => error.limits,
    );
  assert.deepEqual(await limits("GET", "/tasks?limit=201&status=x"), [{ minimum: 1, maximum: 200 }, undefined]);
  const long = JSON.stringify({ title: "x".repeat(256), description: "x".repeat(65_537), priority: "x" });
  assert.deepEqual(await limits("POST", "/tasks", long), [{ maxLength: 255 }, { maxLength: 65_536 }, undefined]);
  assert.deepEqual(await limits("POST", "/opportunities", '{"name":"a","amount":1e999}'), [{ totalDigits: 15 }]);
  assert.deepEqual(await limits("POST", "/tasks/batch", '{"operations":[]}'), [{ minItems: 1, maxItems: 100 }]);
});

for (const [query, problems] of queries) {
  test(`the query ${query} returns ${problems}`, async () => {
    clock.advance(60_000);
    assert.equal(verdict(await send("GET", `/tasks?${query}`, { key })), `400 validation_error: ${problems}`);
  });
}

test("a parameter that isn't percent-encoded UTF-8 is named as in the URL", async () => {
  clock.advance(60_000);
  const named = { "status=%": "?status", "status=%zz": "?status", "%e9=1": "?%e9", "status=%ed%a0%80": "?status" };
  for (const [query, path] of Object.entries(named)) {
    const rejected = verdict(await send("GET", `/tasks?${query}`, { key }));
    assert.equal(rejected, `400 validation_error: ${path} invalid_format`);
  }
});

test("a limit from 1 to 200 and an empty query are accepted", async () => {
  clock.advance(60_000);
  for (const query of ["", "?", "?&&", "?limit=1", "?limit=200", "?limit=007"]) {
    assert.equal(verdict(await send("GET", `/tasks${query}`, { key })), "200", query);
  }
});

test("an unknown field or parameter returns a hint with the closest name", async () => {
  clock.advance(60_000);
  const hints: Record<string, Record<string, unknown>> = {
    titel: { title: "a", titel: 1 },
    due_date: { title: "a", due_date: 1 },
    asignedTo: { title: "a", asignedTo: 1 },
    Status: { title: "a", Status: 1 },
  };
  const meant: Record<string, string> = {
    titel: "title",
    due_date: "dueDate",
    asignedTo: "assignedTo",
    Status: "status",
  };
  for (const [name, body] of Object.entries(hints)) {
    const { message } = errorOf(await send("POST", "/tasks", { key, body }));
    assert.equal(message, `Unknown field "${name}". Did you mean "${meant[name]}"?`);
  }
  const { message } = errorOf(await send("GET", "/tasks?updated_since=2026-03-01T00:00:00Z", { key }));
  assert.equal(message, 'Unknown parameter "updated_since". Did you mean "updatedSince"?');
});

test("an unknown option returns the allowed options", async () => {
  clock.advance(60_000);
  const rejected = await send("POST", "/tasks", { key, body: { title: "a", status: "complete" } });
  const message = 'status must be one of: pending, completed, canceled. Did you mean "completed"?';
  const allowed = ["pending", "completed", "canceled"];
  const errors = [{ path: "/status", code: "not_an_option", message, suggestion: "completed", allowed }];
  assert.deepEqual(rejected.body, { error: { code: "validation_error", message, details: { errors } } });
});

test("errors of query and body are reported together, and the message counts the others", async () => {
  clock.advance(60_000);
  const rejected = await send("POST", "/tasks?x=1", { key, body: { y: 2 }, headers: { "idempotency-key": "" } });
  const problems = "?x unknown_key, /y unknown_key, /title required, Idempotency-Key invalid_format";
  assert.equal(verdict(rejected), `400 validation_error: ${problems}`);
  assert.equal(errorOf(rejected).message, 'Unknown parameter "x". (and 3 more: see details.errors)');
});

test("a shape error decides the status and the code of a response that also has others", async () => {
  clock.advance(60_000);
  const body = { assignedTo: two.member, createdAt: "2020-01-01T00:00:00Z" };
  const rejected = await send("PATCH", `/tasks/${one.task}`, { key, body });
  assert.equal(verdict(rejected), "400 validation_error: /assignedTo not_found, /createdAt read_only");
  assert.equal(
    errorOf(rejected).message,
    "createdAt is read-only. Omit it or send its current value. (and 1 more: see details.errors)",
  );
});

test("no error repeats more than 100 characters of the input", async () => {
  clock.advance(60_000);
  const z = "z".repeat(5_000);
  const responses = [
    await send("POST", "/tasks", {
      key,
      body: { [z]: z, title: z, status: z, dueDate: z, assignedTo: z, tenantId: z },
    }),
    await send("POST", "/tasks", { key, body: { [z]: z, title: z, status: z, relatedTo: { [z]: z, type: z, id: z } } }),
    await send("POST", "/tasks", { key, raw: `{"${z}":1,"${z}":2}` }),
    await send("POST", "/tasks", { key, body: {}, headers: { "idempotency-key": z, "content-type": z } }),
    await send("POST", "/tasks", { key, body: {}, headers: { "idempotency-key": z } }),
    await send("GET", `/tasks?${z}=1&limit=${z}&status=${z}&updatedSince=${z}`, { key }),
    await send("GET", `/tasks?${z}=1&${z}=2`, { key }),
    await send("GET", `/tasks?cursor=${z}`, { key }),
    await send("GET", `/tasks/${z}`, { key, headers: { "x-request-id": z } }),
    await send("GET", `/${z}`, { key: z, headers: { "x-tenant-id": z } }),
    await send(z, "/tasks", { key: z }),
  ];
  for (const { status, text } of responses) {
    assert.ok(status >= 400, text);
    assert.doesNotMatch(text, /z{101}/);
  }
});

test("POST /tasks with 999 unknown keys counts them all in under 64 KiB", async () => {
  clock.advance(60_000);
  const keys = Array.from({ length: 999 }, (_, index) => [`${index}${"k".repeat(500)}`, 1]);
  const result = await send("POST", "/tasks", { key, body: { title: "a", ...Object.fromEntries(keys) } });
  assert.equal(errorOf(result).details?.errorCount, 999);
  assert.ok(Buffer.byteLength(result.text) <= 65_536, `${Buffer.byteLength(result.text)} bytes`);
});
