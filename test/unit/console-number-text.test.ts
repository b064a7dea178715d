import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textErrors } from "../../console/ui/field-spec.ts";
import { formatNumber, type ParsedNumber, parseNumber } from "../../console/ui/number-text.ts";

const languages = ["en", "en-IN", "de", "de-CH", "fr", "es", "sv", "pt-BR", "ar-EG", "hi"] as const;
const [noBreakSpace, narrowSpace, minus] = ["\u00a0", "\u202f", "\u2212"];

function readText(text: string, language: string): number | string {
  const parsed = parseNumber(text, language);
  return "value" in parsed ? parsed.value : parsed.problem;
}

test("a number whose signs have one meaning is the same in every language", () => {
  const clear: Record<string, number> = {
    "0": 0,
    "7": 7,
    "-12": -12,
    "+12": 12,
    [`${minus}12`]: -12,
    " 1200 ": 1200,
    "1200.5": 1200.5,
    "1200,5": 1200.5,
    "1.200,50": 1200.5,
    "1,200.50": 1200.5,
    "1.234.567,8": 1234567.8,
    "1,234,567.8": 1234567.8,
    "1.234.567": 1234567,
    "1,234,567": 1234567,
    "1 200,5": 1200.5,
    [`1${noBreakSpace}234${noBreakSpace}567`]: 1234567,
    [`1${narrowSpace}234,5`]: 1234.5,
    "1'200.50": 1200.5,
    "1’200": 1200,
    "12,34,567.5": 1234567.5,
    "0.125": 0.125,
    "0,125": 0.125,
    "-0.125": -0.125,
    ".5": 0.5,
    "1.5": 1.5,
    "1,50": 1.5,
    "1.2500": 1.25,
    "1234.567": 1234.567,
    "1234,567": 1234.567,
  };
  for (const language of languages)
    for (const [text, value] of Object.entries(clear))
      assert.equal(readText(text, language), value, `${language} ${text}`);
});

test("one sign before three digits is read as the language groups digits, and is ambiguous otherwise", () => {
  const cases: readonly (readonly [text: string, language: string, value: number | "ambiguous"])[] = [
    ["1.200", "en", "ambiguous"],
    ["1,200", "en", 1200],
    ["-12,345", "en", -12345],
    ["1.200", "de", 1200],
    ["1,200", "de", "ambiguous"],
    ["1.200", "fr", "ambiguous"],
    ["1,200", "fr", "ambiguous"],
    ["1.125", "de-CH", "ambiguous"],
    ["999.999", "en", "ambiguous"],
  ];
  for (const [text, language, value] of cases) assert.equal(readText(text, language), value, `${language} ${text}`);
});

test("an ambiguous number gets both of its meanings as examples, which are clear", () => {
  const examples = (text: string, language: string) =>
    (parseNumber(text, language) as { examples: readonly string[] }).examples;
  assert.deepEqual(examples("1.200", "en"), ["1200", "1.2"]);
  assert.deepEqual(examples("-1.125", "en"), ["-1125", "-1.1250"]);
  assert.deepEqual(examples("1,125", "de"), ["1125", "1,1250"]);
  assert.deepEqual(examples("1.000", "fr"), ["1000", "1"]);
});

test("text that isn't a number is rejected with an example of the language", () => {
  const invalid = [
    "seven",
    "1.2.3",
    "1,2,3",
    "12,00.5",
    "1.20.300",
    "1,200,50",
    "1.200,50,1",
    "1 2",
    "1 20,5",
    "--1",
    "1-",
    "-",
  ];
  for (const text of [...invalid, "1e5", "0x10", "Infinity", "NaN", "5.", "1..2", "€ 5", "01.200.300", "٣"])
    for (const language of languages) assert.equal(readText(text, language), "invalid", `${language} ${text}`);
  assert.deepEqual(parseNumber("seven", "en"), { problem: "invalid", examples: ["1,200.50"] });
  assert.deepEqual(parseNumber("seven", "de"), { problem: "invalid", examples: ["1.200,50"] });
});

test("a number that would be rounded is rejected", () => {
  const inexact = ["9007199254740993", "12345678901234567", "12345678901234,123456789", `0.${"1".repeat(30)}`];
  for (const text of [...inexact, "9".repeat(400), "-12.345.678.901.234.567"])
    for (const language of languages) assert.equal(readText(text, language), "inexact", `${language} ${text}`);
  for (const text of ["9007199254740992", "123456789012345", "1000000000000000000000", "0.10000000000000000000"])
    assert.equal(readText(text, "en"), Number(text));
  const amount = { path: "/amount", label: "Amount", input: "number" } as const;
  assert.deepEqual(textErrors(amount, "9007199254740993"), [
    { path: "/amount", message: "9007199254740993 can have at most 15 digits." },
  ]);
});

test("a formatted number is read as the same number", () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => number === 0 || Math.abs(number) > 1e-60),
    fc.integer(),
    fc.integer({ min: -999_999, max: 999_999 }).map((thousandths) => thousandths / 1000),
  );
  fc.assert(
    fc.property(value, fc.constantFrom(...languages), (number, language) => {
      const parsed: ParsedNumber = parseNumber(formatNumber(number, language), language);
      assert.deepEqual(parsed, { value: number + 0 });
    }),
  );
  assert.equal(formatNumber(1250.5, "de"), "1250,5");
  assert.equal(formatNumber(1250.5, "en"), "1250.5");
  assert.equal(formatNumber(1.125, "en"), "1.1250");
});
