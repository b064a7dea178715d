import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { parseJsonObject } from "../../../lib/model/parse-json.ts";
import { parseTenantFile } from "../../../lib/tenant-file/index.ts";
import { testCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const { key } = tenant;
const { send, api } = await testCrm([tenant]);
after(() => api.close());

const list = (count: number, part: (index: number) => string = String): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(",");
const keys = (count: number): string => list(count, (index) => `"k${index}":0`);

const rejected: readonly (readonly [what: string, raw: string, message: string])[] = [
  ["1,001 keys", `{${keys(1_001)}}`, "The body has more than 1,000 keys."],
  [
    "1,001 keys further in",
    `{"customFields":{"a/b":{${keys(1_001)}}}}`,
    'The body has more than 1,000 keys at "/customFields/a~1b".',
  ],
  [
    "1,001 entries",
    `{"name":"a","contactIds":[${list(1_001)}]}`,
    'The body has more than 1,000 entries at "/contactIds".',
  ],
  [
    "1,001 entries in a list of lists",
    `{"a":[0,{"b":[[],[ ${list(1_001)}]]}]}`,
    'The body has more than 1,000 entries at "/a/1/b/1".',
  ],
  [
    "1,001 entries at a long path",
    `{"${"x".repeat(200)}":[${list(1_001)}]}`,
    `The body has more than 1,000 entries at "/${"x".repeat(56)}...".`,
  ],
  ["1,001 entries and no object", `[${list(1_001)}]`, "The body has more than 1,000 entries."],
  [
    "10,001 keys and entries",
    `{"a":[${list(10, () => `[${list(999)}]`)}]}`,
    "The body has more than 10,000 keys and list entries.",
  ],
  ["33 levels", `{"a":${"[".repeat(32)}`, "The body nests objects or lists more than 32 deep."],
  ["500,000 levels", `{"a":${"[".repeat(500_000)}`, "The body nests objects or lists more than 32 deep."],
];

for (const [what, raw, message] of rejected) {
  test(`POST /accounts with ${what} returns 400 bad_request and parses nothing`, async () => {
    const parse = mock.method(JSON, "parse");
    const result = await send("POST", "/accounts", { key, raw });
    const parsed = parse.mock.calls.filter((call) => call.arguments[0] === raw);
    parse.mock.restore();
    assert.deepEqual([result.status, result.body], [400, { error: { code: "bad_request", message } }]);
    assert.equal(parsed.length, 1, "only the test itself parses the body");
  });
}

test("a body with 1,000 keys, or 1,000 entries in a list, is within the limits", async () => {
  const manyKeys = await send("POST", "/accounts", { key, raw: `{${keys(1_000)}}` });
  assert.match(verdict(manyKeys), /^400 validation_error/);
  const manyEntries = await send("POST", "/accounts", { key, raw: `{"name":[${list(1_000)}]}` });
  assert.match(verdict(manyEntries), /^400 validation_error/);
  const inAll = `{"a":[${list(10, () => `[${list(998)}]`)}],"b":[[],{ },[ ]]}`;
  assert.deepEqual(parseJsonObject(Buffer.from(inAll)), JSON.parse(inAll));
});

test("malformed JSON is reported as malformed even if it repeats a key", () => {
  const malformed = ['{"a":1,"a":2', '{"a\\q":1,"a\\q":2}', '{"a":1,"a":2,}', '{"a":"b', '{"a":"b\\'];
  for (const text of malformed) {
    assert.throws(
      () => parseJsonObject(Buffer.from(text)),
      /^JsonParseError: The body isn't valid JSON at line 1, column/,
      text,
    );
  }
});

test("a repeated key is found with any white space before its colon", () => {
  for (const space of ["", " ", "\t", "\n", "\r", "\r\n", " \t\r\n "]) {
    const text = `{"a"${space}:1,"a"${space}:2}`;
    assert.throws(() => parseJsonObject(Buffer.from(text)), /the key "a" twice/, JSON.stringify(space));
  }
});

test("a tenant file may have lists of any length", () => {
  const file = { tasks: Array.from({ length: 20_000 }, (_, index) => ({ title: `Task ${index}` })) };
  assert.deepEqual(parseTenantFile(Buffer.from(JSON.stringify(file))), file);
});
