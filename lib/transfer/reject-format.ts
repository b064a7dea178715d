import { JsonParseError } from "../model/parse-json.ts";
import { textIndexOf } from "./column-mapping.ts";
import { formatCsv } from "./csv.ts";
import { type Format, type RawRow, rejectColumns, textColumn } from "./raw-row.ts";
import { parseLine } from "./row-values.ts";

/** The form of the imported file, which the file of its rejected rows has too. */
export type RejectShape = {
  readonly format: Format;
  readonly header: readonly string[] | undefined;
  readonly delimiter: string;
  readonly hasBom: boolean;
};

/** Formats rejected rows with their line numbers and errors, so that they can be corrected and imported. */
export type RejectFormat = {
  /** The first line. Empty for NDJSON. */
  readonly header: string;
  row(row: RawRow, errors: readonly string[]): string;
};

export function createRejectFormat({ format, header = [], delimiter, hasBom }: RejectShape): RejectFormat {
  const formatLine = (cells: readonly string[]): string => formatCsv([cells], delimiter);
  // Without the columns that are added.
  const indexes = [...header.keys()].filter((index) => !rejectColumns.includes(header[index]?.trim() ?? ""));
  const sourceCells = (cells: readonly string[]): readonly string[] => indexes.map((index) => cells[index] ?? "");
  const firstLine = formatLine([...sourceCells(header), ...rejectColumns]);
  return {
    header: format === "csv" ? `${hasBom ? "\ufeff" : ""}${firstLine}` : "",
    row({ line, raw }, errors) {
      if (typeof raw === "string") return jsonLine(raw, line, errors);
      // The columns of a row with a wrong number of cells are unknown, so that all of it goes to `_text`.
      const isComplete = raw.length === header.length;
      const text = isComplete ? (raw[textIndexOf(header)] ?? "") : formatLine(raw).slice(0, -1);
      return formatLine([...sourceCells(isComplete ? raw : []), String(line), errors.join(" "), text]);
    },
  };
}

function jsonLine(text: string, line: number, errors: readonly string[]): string {
  const object = parseLine(text);
  const fields = object instanceof JsonParseError ? { [textColumn]: text } : object;
  return `${JSON.stringify({ ...fields, _line: line, _errors: errors })}\n`;
}
