import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import {
  email,
  finiteNumber,
  integer,
  isUuid,
  nonEmptyText,
  numberBetween,
  queryBoolean,
  queryInteger,
  text,
  unboundedText,
  uuid,
} from "../../lib/model/scalars.ts";

const id = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

/** Returns the parsed value, or the codes of the errors. */
function outcome(schema: v.GenericSchema, value: unknown): unknown {
  const result = v.safeParse(schema, value);
  return result.success ? { value: result.output } : result.issues.map(({ type }) => type);
}

test("a UUID can have any version and is stored in lower case", () => {
  const others = [
    "",
    id.slice(1),
    `${id}0`,
    `{${id}}`,
    `urn:uuid:${id}`,
    id.replaceAll("-", ""),
    id.replace("a", "g"),
    `${id}\n`,
  ];
  for (const other of others) assert.equal(isUuid(other), false, other);
  assert.deepEqual(outcome(uuid, id.toUpperCase()), { value: id });
  assert.deepEqual(outcome(uuid, "00000000-0000-0000-0000-000000000000"), {
    value: "00000000-0000-0000-0000-000000000000",
  });
  assert.deepEqual(outcome(uuid, `${id} `), ["invalid_format"]);
  assert.deepEqual(outcome(uuid, 1), ["string"]);
});

test("an email address must have a local part and a domain with a dot", () => {
  const addresses = [
    "ana@example.com",
    "a@b.co",
    "o'neil+crm@mail.example.co.uk",
    "josé@exämple.de",
    "用户@例子.公司",
    "a.b-c_d@1.2",
  ];
  for (const address of addresses) assert.deepEqual(outcome(email, address), { value: address });
  assert.deepEqual(outcome(email, "\t ana@example.com "), { value: "ana@example.com" });
  const others = [
    "",
    "ana",
    "@example.com",
    "ana@",
    "ana@example",
    "ana@.com",
    "ana@example.",
    "ana@example..com",
    "a b@example.com",
    "a@b@example.com",
    "ana@exa mple.com",
    "<ana@example.com>",
    "Ana <ana@example.com>",
    "ana@example.com, max@example.com",
    "ana@[127.0.0.1]",
    '"a"@example.com',
    "mailto:ana@example.com",
  ];
  for (const other of others) assert.deepEqual(outcome(email, other), ["invalid_format"], other);
  assert.deepEqual(outcome(email, `${"a".repeat(242)}@example.com`), { value: `${"a".repeat(242)}@example.com` });
  assert.deepEqual(outcome(email, `${"a".repeat(243)}@example.com`), ["too_long"]);
  const blanks = " ".repeat(300);
  assert.deepEqual(outcome(email, `${blanks}ana@example.com${blanks}`), { value: "ana@example.com" });
  assert.deepEqual(outcome(email, "a\0@example.com"), ["invalid_format"]);
});

test("an email address over the maximum length reports only too_long", () => {
  assert.deepEqual(outcome(email, `a@${".a".repeat(500_000)}`), ["too_long"]);
});

test("text length counts code points, and the text stays unchanged", () => {
  assert.deepEqual(outcome(text(3), " 👩‍🚀"), ["too_long"]);
  assert.deepEqual(outcome(text(3), "𝒜𝒷𝒸"), { value: "𝒜𝒷𝒸" });
  assert.deepEqual(outcome(text(3), "𝒜𝒷𝒸d"), ["too_long"]);
  assert.deepEqual(outcome(text(3), ""), { value: "" });
  assert.deepEqual(outcome(text(3), "a".repeat(1_000_000)), ["too_long"]);
  assert.deepEqual(outcome(nonEmptyText(255), `  ${"é".repeat(253)}`), { value: `  ${"é".repeat(253)}` });
});

test("text that a storage can't store is rejected", () => {
  for (const value of ["\ud800", "a\udc00b", "\udc00\ud800", "\0", "a\0"]) {
    assert.deepEqual(outcome(unboundedText, value), ["invalid_format"], JSON.stringify(value));
  }
  for (const value of ["", "\u0001\u007f", "\ufeff", "\u2028", "👩‍🚀", "\u{10ffff}", "\ufffd"]) {
    assert.deepEqual(outcome(unboundedText, value), { value });
  }
});

test("a required text must contain more than white space", () => {
  for (const value of ["", " ", "\t\r\n", "\u00a0\u2003\ufeff"]) {
    assert.deepEqual(outcome(nonEmptyText(5), value), ["required"], JSON.stringify(value));
  }
});

test("numbers must be finite, integers whole, and both within their range", () => {
  assert.deepEqual(outcome(finiteNumber, -0.5), { value: -0.5 });
  for (const value of [JSON.parse("1e999"), JSON.parse("-1e999"), Number.NaN, "1", null]) {
    assert.equal(v.is(finiteNumber, value), false, String(value));
  }
  for (const [value, allowed] of [
    [0, true],
    [100, true],
    [0.5, true],
    [-1, false],
    [100.5, false],
  ] as const) {
    assert.equal(v.is(numberBetween(0, 100), value), allowed, String(value));
  }
  for (const [value, allowed] of [
    [1, true],
    [2_147_483_647, true],
    [0, false],
    [1.5, false],
    [2_147_483_648, false],
  ] as const) {
    assert.equal(v.is(integer(1), value), allowed, String(value));
  }
});

test("a query parameter accepts an integer only in digits", () => {
  const number = queryInteger(1, 200);
  for (const [value, written] of [
    [1, "1"],
    [200, "200"],
    [7, "007"],
  ] as const) {
    assert.deepEqual(outcome(number, written), { value });
  }
  for (const written of ["", " 1", "1 ", "+1", "1.0", "1e2", "0x10", "١", "1".repeat(16), "Infinity", "NaN"]) {
    assert.deepEqual(outcome(number, written), ["invalid_type"], written);
  }
  for (const written of ["0", "-1", "201", "999999999999999"]) {
    assert.deepEqual(outcome(number, written), ["out_of_range"], written);
  }
});

test("a query string writes a boolean as true or false", () => {
  assert.deepEqual(
    ["true", "false"].map((written) => outcome(queryBoolean, written)),
    [{ value: true }, { value: false }],
  );
  for (const written of ["", "1", "TRUE", "yes", "constructor"])
    assert.equal(v.is(queryBoolean, written), false, written);
});

test("an option matches only exactly", () => {
  const option = v.picklist(["low", "high"]);
  assert.deepEqual(outcome(option, "low"), { value: "low" });
  for (const value of ["Low", " low", "", 0, null, ["low"], "toString"]) assert.equal(v.is(option, value), false);
});
