import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonParseError, parseJsonObject } from "../../lib/model/parse-json.ts";
import { closest, didYouMean, quote } from "../../lib/model/suggest.ts";

const names = [
  "title",
  "description",
  "priority",
  "status",
  "dueDate",
  "relatedTo",
  "assignedTo",
  "limit",
  "updatedSince",
];

const meant: Readonly<Record<string, string | undefined>> = {
  title: "title",
  Title: "title",
  titel: "title",
  tittle: "title",
  tilte: "title",
  titles: "title",
  due_date: "dueDate",
  "due-date": "dueDate",
  DUEDATE: "dueDate",
  duedat: "dueDate",
  updated_since: "updatedSince",
  updatedAfter: undefined,
  asignedto: "assignedTo",
  related: "relatedTo",
  prio: undefined,
  stat: "status",
  limits: "limit",
  page: undefined,
  q: undefined,
  "": undefined,
  __proto__x: undefined,
  [`title${"x".repeat(40)}`]: undefined,
};

for (const [written, expected] of Object.entries(meant)) {
  test(`the hint for "${written.slice(0, 20)}" is ${expected === undefined ? "empty" : `"${expected}"`}`, () => {
    assert.equal(closest(written, names), expected);
    assert.equal(didYouMean(closest(written, names)), expected === undefined ? "" : ` Did you mean "${expected}"?`);
  });
}

test("quote returns at most 60 characters and replaces control characters", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ["title", '"title"'],
    ["", '""'],
    [5, '"5"'],
    [null, '"null"'],
    [undefined, '"undefined"'],
    [{ a: [1] }, '"{"a":[1]}"'],
    ["a\r\nb\u001b[31m\0", '"a??b?[31m?"'],
    ["\u202eabc\u200b", '"?abc?"'],
    ["a\ud800b", '"a\ufffdb"'],
    ["x".repeat(60), `"${"x".repeat(60)}"`],
    ["x".repeat(61), `"${"x".repeat(57)}..."`],
    ["👩".repeat(61), `"${"👩".repeat(57)}..."`],
    [`${"x".repeat(199)}👩`, `"${"x".repeat(57)}..."`],
  ];
  for (const [value, expected] of cases) assert.equal(quote(value), expected);
});

test("parseJsonObject returns the same value as JSON.parse", () => {
  const texts = [
    "{}",
    ' \n{"a" : 1}\t',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}],"A":3}',
    '{"a\\"b":":","c":"\\\\","\\\\":"\\u0022a\\u0022:"}',
    '{"":0,"é":1,"e\\u0301":2,"\\ud83d\\ude00":3}',
    '{"n":-0,"big":12345678901234567000,"e":1e-7,"t":true,"f":false,"z":null}',
    `{"deep":${"[".repeat(31)}${"]".repeat(31)}}`,
  ];
  for (const text of texts) assert.deepEqual(parseJsonObject(Buffer.from(text)), JSON.parse(text));
});

test("parseJsonObject reads __proto__ as an ordinary key", () => {
  const value = parseJsonObject(Buffer.from('{"__proto__":{"admin":true}}'));
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal("admin" in {}, false);
});

test("parseJsonObject rejects repeated keys, also with escapes, and accepts similar ones", () => {
  const twice = ['{"a":1,"\\u0061":2}', '{"/":1,"\\/":2}', '{"\\ud83d\\ude00":1,"😀":2}', '{"x":[[{"k":0,"k":0}]]}'];
  for (const text of twice) {
    assert.throws(
      () => parseJsonObject(Buffer.from(text)),
      (error) => error instanceof JsonParseError && /twice/.test(error.message),
    );
  }
  const distinct = ['{"a":1,"A":2}', '{"é":1,"e\\u0301":2}', '{"a":1," a":2}', '{"\\\\u0061":1,"a":2}'];
  for (const text of distinct) assert.deepEqual(parseJsonObject(Buffer.from(text)), JSON.parse(text));
});
