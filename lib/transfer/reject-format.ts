import { JsonParseError } from "../model/parse-json.ts";
import { textIndexOf } from "./column-mapping.ts";
import { formatCsv } from "./csv.ts";
import { parseLine } from "./parse-line.ts";
import { type Format, type RawRow, rejectColumns, textColumn } from "./raw-row.ts";

/** The form of the imported file, which the file of its rejected rows has too. */
export type RejectShape = {
  readonly format: Format;
  readonly header: readonly string[] | undefined;
  readonly delimiter: string;
  readonly hasBom: boolean;
};

/** Formats rejected rows with their line numbers and errors, so that they can be corrected and imported. */
export class RejectFormat {
  readonly #shape: RejectShape;
  readonly #columnIndexes: readonly number[];

  constructor(shape: RejectShape) {
    this.#shape = shape;
    this.#columnIndexes = (shape.header ?? []).flatMap((name, index) =>
      rejectColumns.includes(name.trim()) ? [] : [index],
    );
  }

  /** Returns the first line. */
  header(): string {
    const { header, format, hasBom } = this.#shape;
    if (format !== "csv") return "";
    return (hasBom ? "\ufeff" : "") + this.#formatLine([...this.#sourceCells(header ?? []), ...rejectColumns]);
  }

  row({ line, raw }: RawRow, errors: readonly string[]): string {
    return typeof raw === "string" ? jsonLine(raw, line, errors) : this.#csvLine(raw, line, errors);
  }

  /** Writes a row with a wrong number of cells to `_text`, because its columns are unknown. */
  #csvLine(cells: readonly string[], line: number, errors: readonly string[]): string {
    const { header = [] } = this.#shape;
    const isComplete = cells.length === header.length;
    const sourceCells = isComplete ? this.#sourceCells(cells) : this.#columnIndexes.map(() => "");
    const text = isComplete ? (cells[textIndexOf(header)] ?? "") : this.#formatLine(cells).slice(0, -1);
    return this.#formatLine([...sourceCells, String(line), errors.join(" "), text]);
  }

  /** Returns the cells without the columns that this class adds. */
  #sourceCells(cells: readonly string[]): readonly string[] {
    return this.#columnIndexes.map((index) => cells[index] ?? "");
  }

  #formatLine(cells: readonly string[]): string {
    return formatCsv([cells], this.#shape.delimiter);
  }
}

function jsonLine(text: string, line: number, errors: readonly string[]): string {
  const object = parseLine(text);
  const fields = object instanceof JsonParseError ? { [textColumn]: text } : object;
  return `${JSON.stringify({ ...fields, _line: line, _errors: errors })}\n`;
}
