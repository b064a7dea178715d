import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, verdict } from "../../support/crm.ts";
import { baseUrl } from "../../support/harness.ts";

const { send, api } = await openCrm();
const { key } = one;
const maxBytes = 1_048_576;

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(...part)))),
  );
const nested = (depth: number): string => `{"title":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

/** Returns the message for invalid JSON that ends or has an error at this position. */
const invalid = (column: number, line = 1): string =>
  `The body isn't valid JSON at line ${line}, column ${column}. Look for missing quotes, stray commas and unclosed brackets.`;
const noObject = "The body must be a JSON object, such as {}.";
const noText = "The body isn't valid UTF-8.";
const tooDeep = "The body nests objects or lists more than 32 deep.";

const unreadable: readonly (readonly [what: string, raw: string | Uint8Array<ArrayBuffer>, message: string])[] = [
  ["nothing", "", "The body is empty. Send a JSON object."],
  ["white space", " \n\t", invalid(2, 2)],
  ["an unclosed object", '{"title":"Call"', invalid(16)],
  ["a stray comma", '{"title":"Call",}', invalid(17)],
  ["single quotes", "{'title':'Call'}", invalid(2)],
  ["a key without quotes", '{title:"Call"}', invalid(2)],
  ["a comment", '{"title":"Call"/* now */}', invalid(16)],
  ["NaN", '{"title":NaN}', invalid(10)],
  ["two objects", '{"title":"Call"}{}', invalid(17)],
  ["a line break in a string", '{"title":"Call\n"}', invalid(15)],
  ["a NUL in a string", '{"title":"Call\0"}', invalid(15)],
  ["a value without quotes in the third line", '{\n  "title": "Call",\n  "priority": high\n}', invalid(15, 3)],
  ["an incomplete escape", '{"title":"\\u00"}', invalid(15)],
  ["null", "null", noObject],
  ["a list", '[{"title":"Call"}]', noObject],
  ["a string", '"title"', noObject],
  ["a number", "1", noObject],
  ["Latin-1", bytes('{"title":"Caf', [0xe9], '"}'), noText],
  ["UTF-8 that is cut off", bytes('{"title":"Caf', [0xc3]), noText],
  ["UTF-8 that is too long for its character", bytes('{"title":"', [0xc0, 0x80], '"}'), noText],
  ["a surrogate in UTF-8", bytes('{"title":"', [0xed, 0xa0, 0x80], '"}'), noText],
  ["UTF-16", new Uint8Array(Buffer.from('{"title":"Call"}', "utf16le")), invalid(2)],
  ["a key twice", '{"title":"a","title":"b"}', 'The body has the key "title" twice in one object.'],
  ["a key twice, once escaped", '{"title":"a","\\u0074itle":"b"}', 'The body has the key "title" twice in one object.'],
  ["a key twice, further in", '{"a":[{"b":1,"c":{},"b":1}]}', 'The body has the key "b" twice in one object.'],
  ["the empty key twice", '{"":1,"":2}', 'The body has the key "" twice in one object.'],
  ["__proto__ twice", '{"__proto__":1,"__proto__":2}', 'The body has the key "__proto__" twice in one object.'],
  ["33 levels", nested(33), tooDeep],
  ["100,000 levels", nested(100_000), tooDeep],
];

for (const [what, raw, message] of unreadable) {
  test(`a body of ${what} returns 400 bad_request`, async () => {
    const rejected = await send("POST", "/tasks", { key, raw });
    assert.deepEqual([rejected.status, rejected.body], [400, { error: { code: "bad_request", message } }]);
  });
}

test("a body of 32 levels is parsed and validated", async () => {
  const rejected = await send("POST", "/tasks", { key, raw: nested(32) });
  assert.equal(verdict(rejected), "400 validation_error: /title invalid_type");
});

test("different objects can have the same key, and brackets in strings are text", async () => {
  const id = one.contact;
  const raw = `{"title":"\\"title\\":{","description":"}]\\\\","relatedTo":{"type":"contact","id":"${id}"}, "priority" :"low"}`;
  const { title, description, relatedTo } = dataOf(await send("POST", "/tasks", { key, raw }), 201);
  assert.deepEqual([title, description, relatedTo], ['"title":{', "}]\\", { type: "contact", id }]);
});

test("a body of exactly 1 MiB is read", async () => {
  const raw = '{"title":"Call"}'.padEnd(maxBytes);
  assert.equal(verdict(await send("POST", "/tasks", { key, raw })), "201");
});

test("a Content-Length over the limit is rejected before the body and the key are read", async () => {
  const headers = { "content-length": String(maxBytes + 1) };
  const rejected = await send("POST", "/tasks", { raw: "{}", headers });
  assert.equal(rejected.status, 413);
  assert.deepEqual(errorOf(rejected), {
    code: "bad_request",
    message: "The body is larger than 1 MiB (1048576 bytes).",
  });
});

test("POST with an endless body returns 413, and the body is canceled after 17 MiB", async () => {
  let sent = 0;
  const canceled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
    cancel: () => canceled.resolve(),
  });
  const response = await api.fetch(
    new Request(`${baseUrl}/tasks`, { method: "POST", headers: { "x-api-key": one.key }, body, duplex: "half" }),
  );
  assert.equal(response.status, 413);
  await canceled.promise;
  assert.ok(sent > 16 * maxBytes && sent <= 17 * maxBytes + 3 * 65_536, `${sent} bytes were taken`);
});

test("a truncated body stream returns 400, not 500", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("reset by peer"));
    },
  });
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const response = await api.fetch(new Request(`${baseUrl}/tasks`, { method: "POST", headers, body, duplex: "half" }));
  const error = { code: "bad_request", message: "The body ended early." };
  assert.deepEqual([response.status, await response.json()], [400, { error }]);
});

test("a body requires a JSON Content-Type in UTF-8", async () => {
  const notJson = [
    "",
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ];
  const notUtf8 = ["application/json; charset=latin1", "application/json; charset=utf-16"];
  const hidden = ["application/json; odata=verbose; charset=latin1", 'application/json; charset="utf-16"; q=1'];
  const broken = ["application/json; odata", "application/json; =1", 'application/json; a="b', "application/json a=b"];
  const others = [...hidden, ...broken, "application/jsonp", "application/json, text/plain"];
  for (const type of [...notJson, ...notUtf8, ...others]) {
    const rejected = await send("POST", "/tasks", { key, body: { title: "Call" }, headers: { "content-type": type } });
    const message = "Send the body as JSON, with Content-Type: application/json.";
    assert.deepEqual([rejected.status, rejected.body], [415, { error: { code: "bad_request", message } }], type);
  }
});

test("all usual spellings of a JSON Content-Type are accepted", async () => {
  const types = ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'];
  const parameters = ["odata=verbose", "version=1; q=0.9", 'profile="a;charset=latin1\\""', "a=b;charset=utf8;;"];
  const more = parameters.map((text) => `application/json; ${text}`);
  for (const type of [...types, ...more, "application/merge-patch+json", "application/json;"]) {
    const made = await send("POST", "/tasks", { key, body: { title: "Call" }, headers: { "content-type": type } });
    assert.equal(verdict(made), "201", type);
  }
});

test("a compressed body is rejected, and Content-Encoding: identity is accepted", async () => {
  const post = (encoding: string) =>
    send("POST", "/tasks", { key, body: { title: "Call" }, headers: { "content-encoding": encoding } });
  for (const encoding of ["gzip", "br", "deflate", "gzip, identity"]) {
    assert.equal(verdict(await post(encoding)), "415 bad_request", encoding);
  }
  assert.equal(verdict(await post("Identity")), "201");
});

test("invalid JSON of more than 64 KiB is reported without a position", async () => {
  const rejected = await send("POST", "/tasks", { key, raw: `{"title":"${"a".repeat(65_536)}"` });
  assert.match(errorOf(rejected).message, /^The body isn't valid JSON\. /);
});

const withAmount = (amount: string) => ({ key, raw: `{"name":"x","amount":${amount}}` });

/** Amounts that a double holds exactly as they are written, and amounts that it would round. */
const exact = [
  "0",
  "0.1",
  "1.10",
  "1e3",
  "123456789012.345",
  "123456789012345.0e-1",
  "0.30000000000000004",
  "1.000000000000000000",
  "1e20",
];
for (const amount of exact) {
  test(`POST /opportunities accepts the amount ${amount}`, async () => {
    assert.equal(dataOf(await send("POST", "/opportunities", withAmount(amount)), 201).amount, Number(amount));
  });
}

const rounded = ["99999999999999999999.99", "9007199254740993", "0.12345678901234567890", "1e400", "-1e400", "1e-400"];
for (const amount of rounded) {
  test(`POST /opportunities returns 400 for the amount ${amount}, which a double can't hold`, async () => {
    const rejected = await send("POST", "/opportunities", withAmount(amount));
    assert.equal(verdict(rejected), "400 validation_error: /amount out_of_range");
    assert.match(rejected.text, /amount must have at most 15 significant digits, and be below 1e308\./);
  });
}

test("a custom field returns 422 for a number that a double can't hold", async () => {
  const raw =
    '{"name":"x","customFields":{"size":0.30000000000000004441,"budget":{"amount":12345678901234567.89,"currency":"EUR"}}}';
  const rejected = await send("POST", "/opportunities", { key, raw });
  assert.equal(
    verdict(rejected),
    "422 invalid_custom_field: /customFields/size out_of_range, /customFields/budget out_of_range",
  );
  const limits = errorOf(rejected).details?.errors?.map((error) => error.limits);
  assert.deepEqual(limits, [{ totalDigits: 15 }, { totalDigits: 15 }]);
});

test("digits in a string aren't a number", async () => {
  const raw = '{"name":"99999999999999999999.99","amount":1}';
  assert.equal(dataOf(await send("POST", "/opportunities", { key, raw }), 201).amount, 1);
});
