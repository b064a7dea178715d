import { UsageError } from "../cli/errors.ts";
import { detectDelimiter } from "./csv-parser.ts";
import { csvRows } from "./csv-rows.ts";
import { displayName, openSource } from "./input-source.ts";
import type { LocaleFormat } from "./locale-format.ts";
import { ndjsonLines } from "./ndjson-rows.ts";
import { type Format, formatByName, type RawRow } from "./raw-row.ts";

/** An open file of rows. */
export type OpenRows = {
  /** Column names of a CSV file. Undefined for NDJSON. */
  readonly header: readonly string[] | undefined;
  readonly format: Format;
  readonly delimiter: string;
  /** Whether the file starts with a byte order mark. */
  readonly hasBom: boolean;
  readonly rows: AsyncIterable<RawRow>;
};

export type RowOptions = {
  readonly format: Format | undefined;
  readonly delimiter: string | undefined;
  readonly encoding?: LocaleFormat["encoding"];
};

/** `tap` receives all bytes. `stop` ends a stream. */
export type ReadOptions = { readonly tap?: (bytes: Buffer) => void; readonly stop: AbortSignal };

/** Opens a file and reads its header. @throws Failure @throws UsageError if it is empty */
export async function openRows(
  file: string,
  options: RowOptions,
  { tap = () => {}, stop }: ReadOptions,
): Promise<OpenRows> {
  const format = options.format ?? formatByName(file);
  const { sample, chunks } = await openSource(file, stop, options.encoding ?? "utf-8");
  const delimiter = options.delimiter ?? detectDelimiter(sample);
  const tapped = withTap(chunks, tap);
  const shape = { format, delimiter, hasBom: sample.startsWith("\ufeff") };
  if (format === "ndjson") return { ...shape, header: undefined, rows: linesOf(tapped, file) };
  const all = csvRows(tapped, { delimiter, name: displayName(file) });
  const first = await all.next();
  if (first.done === true)
    throw new UsageError(`${displayName(file)} is empty. The first line must have the column names.`);
  return { ...shape, header: first.value.cells, rows: cellsOf(all) };
}

async function* withTap(chunks: AsyncIterable<Buffer>, tap: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    tap(chunk);
    yield chunk;
  }
}

async function* cellsOf(rows: AsyncIterable<{ line: number; cells: readonly string[] }>): AsyncGenerator<RawRow> {
  for await (const { line, cells } of rows) yield { line, raw: cells };
}

async function* linesOf(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<RawRow> {
  for await (const { line, text } of ndjsonLines(chunks, displayName(file))) yield { line, raw: text };
}
