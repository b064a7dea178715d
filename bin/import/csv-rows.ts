import { pipeline, Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import { Failure } from "../cli/errors.ts";

/** A row with the number of its first line. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

const delimiters = [",", ";", "\t", "|"];
/** The limit of a request body. */
const maxRowBytes = 1_048_576;
const lineEnd = /\r\n|\n|\r/g;

/** Returns the most frequent delimiter in the header outside quotes, or a comma. */
export function detectDelimiter(sample: string): string {
  const [header = ""] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(sample.replace(/^\ufeff?[\r\n]*/, "")) ?? [];
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: unquoted.split(delimiter).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ",";
}

/**
 * Yields the header and the rows of a CSV file except rows without values. Accepts a byte order mark and all line endings.
 * @throws Failure if the CSV is invalid
 */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { delimiter, name }: { readonly delimiter: string; readonly name: string },
): AsyncGenerator<CsvRow> {
  const lines = new LineCounter();
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: maxRowBytes,
    // Counted here, because the loop below lags behind the parser. The types only allow cells.
    on_record: (cells, info) => ({ line: lines.next(cells, info), cells }) as unknown as string[],
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // The parser below throws the errors of the pipeline.
  pipeline(Readable.from(chunks), parser, () => {});
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) {
      if (row.cells.some((cell) => cell.trim() !== "")) yield row;
    }
  } catch (error) {
    throw error instanceof CsvError ? new Failure(`${name}: ${describeCsvError(error, lines.line)}`) : error;
  }
}

/** Counts lines. The parser counts CRLF inside quotes as two lines. */
class LineCounter {
  /** First line of the next row, if no blank lines precede it. */
  line = 1;
  #last = { lines: 0, empty: 0 };

  next(record: readonly string[], { lines, empty_lines: empty }: Info): number {
    const blankLines = empty - this.#last.empty;
    const start = this.line + blankLines;
    const oneLine = lines - this.#last.lines === blankLines + 1;
    const innerLines = oneLine ? 0 : record.reduce((sum, cell) => sum + (cell.match(lineEnd)?.length ?? 0), 0);
    this.line = start + 1 + innerLines;
    this.#last = { lines, empty };
    return start;
  }
}

function describeCsvError({ code }: CsvError, line: number): string {
  const row = `row starting at line ${line}`;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return `${row}: unclosed quote. Close it and run the import again.`;
    case "CSV_INVALID_CLOSING_QUOTE":
      return `${row}: text after a closing quote. Double the quotes inside a quoted cell ("").`;
    case "INVALID_OPENING_QUOTE":
      return `${row}: quote in an unquoted cell. Quote the cell and double its quotes ("").`;
    case "CSV_MAX_RECORD_SIZE":
      return `${row}: longer than 1 MiB. Check for an unclosed quote.`;
    default:
      return `${row}: invalid CSV (${code}).`;
  }
}
