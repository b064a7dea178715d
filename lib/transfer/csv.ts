import type { RawRow } from "./raw-row.ts";
import { type FileFault, TransferError } from "./raw-row.ts";

const delimiters = [",", ";", "\t", "|"];
/** The limit of a request body. */
const maxRowLength = 1_048_576;
const lineEnd = /\r\n|\n|\r/g;

/** Returns the most frequent delimiter in the header outside quotes, or a comma. */
export function detectDelimiter(sample: string): string {
  const [header = ""] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(sample.replace(/^\ufeff?[\r\n]*/, "")) ?? [];
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: unquoted.split(delimiter).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ",";
}

/** A parsed row and the index of the next one. */
type ParsedRow = { readonly cells: readonly string[]; readonly next: number; readonly lines: number };

/** Parses CSV text in parts. Accepts a byte order mark and all line endings. Skips rows without values. */
export class CsvParser {
  readonly #name: string;
  readonly #delimiter: string;
  /** Matches what can follow the text of an unquoted cell, and quotes, which can't. */
  readonly #cellEnd: RegExp;
  /** Text from the start of the next row. */
  #text = "";
  #line = 1;
  #isStarted = false;

  /** `name` is the name of the file, for messages. */
  constructor({ delimiter, name }: { readonly delimiter: string; readonly name: string }) {
    this.#name = name;
    this.#delimiter = delimiter;
    this.#cellEnd = new RegExp(`["\\r\\n]|${delimiter.replace(/[$()*+.?[\\\]^{|}]/, "\\$&")}`, "g");
  }

  /** Returns the rows that this part of the text completes. @throws TransferError if the CSV is invalid */
  push(part: string): RawRow[] {
    if (part === "") return [];
    this.#text += this.#isStarted ? part : part.replace(/^\ufeff/, "");
    this.#isStarted = true;
    return this.#takeRows(false);
  }

  /** Returns the last row. @throws TransferError if the CSV is invalid */
  end(): RawRow[] {
    return this.#takeRows(true);
  }

  #takeRows(isEnd: boolean): RawRow[] {
    const rows: RawRow[] = [];
    let start = 0;
    while (start < this.#text.length) {
      const row = this.#parseRow(start, isEnd);
      const length = (row?.next ?? this.#text.length) - start;
      if (length > maxRowLength) throw this.#failure("row_too_long", "longer than 1 MiB. Check for an unclosed quote.");
      if (row === undefined) break;
      if (row.cells.some((cell) => cell.trim() !== "")) rows.push({ line: this.#line, raw: row.cells });
      this.#line += row.lines;
      start = row.next;
    }
    this.#text = this.#text.slice(start);
    return rows;
  }

  /** Returns undefined if the row may continue in the next part. */
  #parseRow(start: number, isEnd: boolean): ParsedRow | undefined {
    const text = this.#text;
    const cells: string[] = [];
    let [at, lines] = [start, 1];
    for (;;) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? this.#quotedEnd(at, isEnd) : this.#unquotedEnd(at, isEnd);
      if (end === undefined) return undefined;
      const raw = isQuoted ? text.slice(at + 1, end - 1) : text.slice(at, end);
      if (isQuoted) lines += raw.match(lineEnd)?.length ?? 0;
      cells.push(isQuoted ? raw.replaceAll('""', '"') : raw);
      if (end === text.length) return isEnd ? { cells, next: end, lines } : undefined;
      if (!text.startsWith(this.#delimiter, end)) {
        // A line feed may follow in the next part.
        if (text[end] === "\r" && end + 1 === text.length && !isEnd) return undefined;
        return { cells, next: end + (text.startsWith("\r\n", end) ? 2 : 1), lines };
      }
      at = end + this.#delimiter.length;
    }
  }

  #unquotedEnd(start: number, isEnd: boolean): number | undefined {
    this.#cellEnd.lastIndex = start;
    const found = this.#cellEnd.exec(this.#text);
    if (found === null) return isEnd ? this.#text.length : undefined;
    if (found[0] === '"')
      throw this.#failure("unquoted_quote", 'quote in an unquoted cell. Quote the cell and double its quotes ("").');
    return found.index;
  }

  #quotedEnd(start: number, isEnd: boolean): number | undefined {
    const text = this.#text;
    let end = text.indexOf('"', start + 1);
    while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    if (end < 0 && isEnd) throw this.#failure("unclosed_quote", "unclosed quote. Close it and run the import again.");
    if (end < 0 || (end + 1 === text.length && !isEnd)) return undefined;
    const next = end + 1;
    if (next === text.length || text[next] === "\r" || text[next] === "\n" || text.startsWith(this.#delimiter, next))
      return next;
    throw this.#failure("text_after_quote", 'text after a closing quote. Double the quotes inside a quoted cell ("").');
  }

  #failure(code: FileFault["code"], problem: string): TransferError {
    const line = this.#line;
    return new TransferError(`${this.#name}: row starting at line ${line}: ${problem}`, { code, line });
  }
}

/** Formats rows as CSV with \n at the end of each. Quotes a cell that a parser would read differently. */
export function formatCsv(rows: readonly (readonly string[])[], delimiter: string): string {
  const special = ['"', "\r", "\n", delimiter];
  const formatCell = (cell: string): string =>
    special.some((text) => cell.includes(text)) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((cells) => `${cells.map(formatCell).join(delimiter)}\n`).join("");
}
