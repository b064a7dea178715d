import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonLines } from "../../bin/import/reasons.ts";
import { columnsOf } from "../../lib/transfer/column-mapping.ts";
import type { ColumnTarget } from "../../lib/transfer/column-target.ts";
import { ProblemGroups } from "../../lib/transfer/problem-groups.ts";
import type { RowError } from "../../lib/transfer/row-errors.ts";
import { csvRowValues, mapValues } from "../../lib/transfer/row-values.ts";

const field = (name: string): ColumnTarget => ({ name, field: name, valueType: "text", nullable: true });

function problem(line: number, value: unknown, ...errors: readonly RowError[]) {
  return { row: { line, raw: [] }, values: { pairs: [{ target: field("size"), value }], errors: [] }, errors };
}

test("problems are grouped by their causes, with the wrong values, the most frequent first", () => {
  const groups = new ProblemGroups();
  const details = { allowed: ["Small"] };
  const wrong: RowError = { code: "not_an_option", target: "size", message: "size must be one of: Small.", details };
  const misspelled = {
    ...{ ...wrong, message: `${wrong.message} Did you mean "Small"?` },
    details: { ...details, suggestion: "Small" },
  };
  groups.add(problem(2, "smal", misspelled));
  groups.add(problem(3, "tiny", wrong));
  groups.add(problem(4, "tiny", wrong));
  const reason = "There is already an account with this name.";
  groups.add(problem(5, "Small", { code: "duplicate", message: `${reason} It is "Acme".`, reason }));
  groups.add(problem(6, undefined, { code: "required", target: "size", message: "size is required." }));
  const list = groups.list();
  assert.deepEqual(
    list.map(({ examples }) => examples.map(({ problem: { row } }) => row.line)),
    [[2, 3], [5], [6]],
  );
  const withoutExamples = list.map(({ examples: _, ...group }) => group);
  assert.deepEqual(withoutExamples, [
    {
      ...{
        code: "not_an_option",
        target: "size",
        message: "size must be one of: Small.",
        count: 3,
        details: misspelled.details,
      },
      values: [
        { text: "tiny", count: 2 },
        { text: "smal", count: 1 },
      ],
    },
    { code: "duplicate", message: reason, count: 1, values: [] },
    { code: "required", target: "size", message: "size is required.", count: 1, values: [] },
  ]);
});

test("groups and their values are limited, and every row is counted", () => {
  const groups = new ProblemGroups();
  for (let row = 0; row < 2_000; row++)
    groups.add(problem(row, `v${row}`, { code: "x", target: "size", message: "x" }));
  for (let row = 0; row < 2_000; row++) groups.add(problem(row, "", { code: "y", message: `y ${row}` }));
  const [first] = groups.list();
  assert.deepEqual([first?.count, first?.values.length, groups.list().length], [2_000, 500, 500]);
  assert.deepEqual([first?.examples.length, groups.omitted], [2, 1_501]);
});

test("the wrong value of a date is its cell, not what was read from it", () => {
  const since: ColumnTarget = { ...field("since"), valueType: "keyword", isDate: true };
  const columns = { ...columnsOf([{ name: "Kunde seit", target: since }], []), archivedAt: -1 };
  const locale = { dateFormat: "DD.MM.YYYY", decimal: ",", trim: true, encoding: "utf-8" } as const;
  const row = { line: 2, raw: ["31.02.2020 "] };
  const values = csvRowValues(row, columns, false, locale);
  assert.equal(values.pairs[0]?.value, "2020-02-31");
  const error = { code: "invalid_format", target: "since", message: "since must be a date." };
  const groups = new ProblemGroups();
  groups.add({ row, values, errors: [error] });
  assert.deepEqual(groups.list()[0]?.values, [{ text: "31.02.2020", count: 1 }]);
  assert.ok(reasonLines(groups, "Rejected:", "row").includes('  line 2: "31.02.2020"'));
});

test("values are replaced, also in lists, and an empty text leaves the field out", () => {
  const map = { size: { klein: "Klein", "?": "" } };
  const mapped = (value: unknown): unknown =>
    mapValues({ pairs: [{ target: field("size"), value }], errors: [] }, map).pairs[0]?.value;
  assert.deepEqual(["klein", " klein ", "groß", "?", 5, undefined].map(mapped), [
    ...["Klein", "Klein", "groß", undefined, 5, undefined],
  ]);
  assert.deepEqual(mapped(["klein", "?", "Klein", "groß"]), ["Klein", "groß"]);
  assert.equal(mapped(["?"]), undefined);
  assert.equal(mapped("toString"), "toString");
});
