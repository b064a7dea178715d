import assert from "node:assert/strict";
import { test } from "node:test";
import { toExactNumber } from "../../lib/model/exact-number.ts";
import { parseJsonObject } from "../../lib/model/parse-json.ts";

test("a number that a double can't hold exactly is Infinity", () => {
  const exact = { "1.50": 1.5, "-2e3": -2000, "0.0": 0, "+7": 7, "1000000000000000000000": 1e21, "-0": -0 };
  for (const [text, value] of Object.entries(exact)) assert.equal(toExactNumber(text), value, text);
  for (const text of ["9007199254740993", "1e999", "0.1000000000000000055"])
    assert.equal(toExactNumber(text), Number.POSITIVE_INFINITY, text);
});

test("a number of a million digits blocks nothing", { timeout: 10_000 }, () => {
  const digits = `1${"0".repeat(1_000_000)}1`;
  assert.deepEqual(parseJsonObject(new TextEncoder().encode(`{"amount":${digits}}`)), {
    amount: Number.POSITIVE_INFINITY,
  });
});
