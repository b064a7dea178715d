import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { CsvParser, formatCsv } from "../../lib/transfer/csv.ts";
import type { RawRow } from "../../lib/transfer/raw-row.ts";
import { messyCsv } from "../console/messy-csv.ts";

function parseParts(text: string, partLength: number, delimiter = ";"): RawRow[] {
  const parser = new CsvParser({ delimiter, name: "file.csv" });
  const rows: RawRow[] = [];
  for (let at = 0; at < text.length; at += partLength) rows.push(...parser.push(text.slice(at, at + partLength)));
  return [...rows, ...parser.end()];
}

test("CsvParser reads the same cells as csv-parse, however the text is split", () => {
  const text = messyCsv({ rows: 200 });
  const options = { bom: true, delimiter: ";", relax_column_count: true, record_delimiter: "\r\n" };
  const expected = parse(text, options) as string[][];
  for (const partLength of [1, 2, 7, 1000, text.length])
    assert.deepEqual(
      parseParts(text, partLength).map(({ raw }) => raw),
      expected,
    );
});

test("CsvParser numbers rows by their first lines and skips rows without values", () => {
  const text = 'a;b\r\n\r\n"1\r\n2";3\r\n ; \r\n4;5\r6;7\n"";""\n8;9';
  for (const partLength of [1, 3, 100])
    assert.deepEqual(
      parseParts(text, partLength).map(({ line, raw }) => [line, (raw as readonly string[]).join("|")]),
      [
        [1, "a|b"],
        [3, "1\r\n2|3"],
        [6, "4|5"],
        [7, "6|7"],
        [9, "8|9"],
      ],
    );
});

test("CsvParser explains invalid CSV with the line of the row", () => {
  const faults = {
    'a;b\n\n"1;2\n': ["unclosed_quote", "unclosed quote. Close it and run the import again."],
    'a;b\n\n"1"x;2\n': ["text_after_quote", 'text after a closing quote. Double the quotes inside a quoted cell ("").'],
    'a;b\n\n1"x;2\n': ["unquoted_quote", 'quote in an unquoted cell. Quote the cell and double its quotes ("").'],
  };
  for (const [text, [code, message]] of Object.entries(faults)) {
    const error = { message: `file.csv: row starting at line 3: ${message}`, fault: { code, line: 3 } };
    assert.throws(() => parseParts(text, 2), error);
  }
});

test("CsvParser reads what formatCsv writes", () => {
  const rows = [
    ["", 'say "hi"', "a;b", "a,b", "a|b"],
    ["two\nlines", "two\r\nlines", "\r", " ", "end"],
  ];
  for (const delimiter of [",", ";", "\t", "|"])
    assert.deepEqual(
      parseParts(formatCsv(rows, delimiter), 3, delimiter).map(({ raw }) => raw),
      rows,
    );
});
