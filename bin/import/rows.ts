import { UsageError } from "../cli/errors.ts";
import { csvRows, delimiterOf } from "./csv-rows.ts";
import { ndjsonLines } from "./ndjson-rows.ts";
import { nameOf, open } from "./source.ts";

export const formats = ["csv", "ndjson"] as const;
export type Format = (typeof formats)[number];

/** A row as it stands in the file: cells, or the text of a line of NDJSON. */
export type RawRow = { readonly line: number; readonly raw: readonly string[] | string };

/** A file that is being read. */
export type OpenRows = {
  /** The columns of a CSV file; undefined with NDJSON, where each line names its own. */
  readonly head: readonly string[] | undefined;
  readonly format: Format;
  readonly delimiter: string;
  /** Whether it begins with a byte order mark, as spreadsheets like it. */
  readonly marked: boolean;
  readonly rows: AsyncIterable<RawRow>;
};

export type RowOptions = { readonly format: Format | undefined; readonly delimiter: string | undefined };

/** How a file is read: `tap` sees all bytes, and a stream ends with `stop`. */
export type ReadOptions = { readonly tap?: (bytes: Buffer) => void; readonly stop: AbortSignal };

/** Opens a file and reads its head. @throws Failure @throws UsageError where it is empty */
export async function openRows(
  file: string,
  asked: RowOptions,
  { tap = () => {}, stop }: ReadOptions,
): Promise<OpenRows> {
  const format = asked.format ?? formatOf(file);
  const { sample, chunks } = await open(file, stop);
  const delimiter = asked.delimiter ?? delimiterOf(sample);
  const tapped = tappedBy(chunks, tap);
  const shape = { format, delimiter, marked: sample.startsWith("\ufeff") };
  if (format === "ndjson") return { ...shape, head: undefined, rows: linesOf(tapped, file) };
  const all = csvRows(tapped, { delimiter, name: nameOf(file) });
  const first = await all.next();
  if (first.done === true)
    throw new UsageError(`${nameOf(file)} is empty: it needs a line with the names of its columns.`);
  return { ...shape, head: first.value.cells, rows: cellsOf(all) };
}

/** How a file is written, by its name. @throws UsageError where the name of the file does not tell */
export function formatOf(file: string): Format {
  if (/\.(ndjson|jsonl)$/i.test(file)) return "ndjson";
  if (/\.json$/i.test(file))
    throw new UsageError(`${file}: say --format ndjson if each of its lines is one JSON object.`);
  return "csv";
}

async function* tappedBy(chunks: AsyncIterable<Buffer>, tap: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    tap(chunk);
    yield chunk;
  }
}

async function* cellsOf(rows: AsyncIterable<{ line: number; cells: readonly string[] }>): AsyncGenerator<RawRow> {
  for await (const { line, cells } of rows) yield { line, raw: cells };
}

async function* linesOf(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<RawRow> {
  for await (const { line, text } of ndjsonLines(chunks, nameOf(file))) yield { line, raw: text };
}
