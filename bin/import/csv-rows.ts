import { pipeline, Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import { Failure } from "../cli/errors.ts";

/** A row of a file, and the line on which it begins. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

const delimiters = [",", ";", "\t", "|"];
/** As much as the API takes of one record. */
const rowBytesMax = 1_048_576;
const lineEnd = /\r\n|\n|\r/g;

/** The sign that stands most often in the head, outside of quotes; a comma where none does. */
export function delimiterOf(sample: string): string {
  const [head = ""] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(sample.replace(/^\ufeff?[\r\n]*/, "")) ?? [];
  const plain = head.replace(/"(?:[^"]|"")*"/g, "");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: plain.split(delimiter).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ",";
}

/**
 * The rows of a CSV file, its head the first; blank lines and rows of empty cells are left out. A byte order mark, any
 * line ends and quoted cells are understood. @throws Failure where quotes do not close
 */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { delimiter, name }: { readonly delimiter: string; readonly name: string },
): AsyncGenerator<CsvRow> {
  const place = new Place();
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: rowBytesMax,
    // Asked in the order of the file: what is read below lags behind, and would not know where an error lies. The
    // types allow cells alone.
    on_record: (cells, info) => ({ line: place.next(cells, info), cells }) as unknown as string[],
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // What goes wrong on the way comes out of the parser, which is read here.
  pipeline(Readable.from(chunks), parser, () => {});
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) {
      if (row.cells.some((cell) => cell.trim() !== "")) yield row;
    }
  } catch (error) {
    throw error instanceof CsvError ? new Failure(`${name}: ${wordsOf(error, place.line)}`) : error;
  }
}

/** Counts lines. The parser's own count takes the two signs of a line end inside of quotes for two lines. */
class Place {
  /** Where the next row begins, if no blank lines come before. */
  line = 1;
  #last = { lines: 0, empty: 0 };

  next(record: readonly string[], { lines, empty_lines: empty }: Info): number {
    const blank = empty - this.#last.empty;
    const start = this.line + blank;
    const oneLine = lines - this.#last.lines === blank + 1;
    const more = oneLine ? 0 : record.reduce((sum, cell) => sum + (cell.match(lineEnd)?.length ?? 0), 0);
    this.line = start + 1 + more;
    this.#last = { lines, empty };
    return start;
  }
}

function wordsOf({ code }: CsvError, line: number): string {
  const where = `the row that begins in line ${line}`;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return `in ${where}, a quote is opened that nothing closes. Close it, and begin anew.`;
    case "CSV_INVALID_CLOSING_QUOTE":
      return `in ${where}, something stands behind a closing quote. Write a quote inside of a quoted cell twice ("").`;
    case "INVALID_OPENING_QUOTE":
      return `in ${where}, a quote stands in a cell that is not quoted. Quote the cell, and write its own quotes twice.`;
    case "CSV_MAX_RECORD_SIZE":
      return `${where} is longer than 1 MiB. Is a quote not closed there?`;
    default:
      return `${where} cannot be read as CSV (${code}).`;
  }
}
