import { CsvParser, detectDelimiter } from "./csv.ts";
import type { Format, RawRow } from "./raw-row.ts";
import { MappingError, TransferError } from "./raw-row.ts";

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
  /** The name of the file, for messages. */
  readonly name: string;
  readonly format: Format;
  /** Detected in the header if undefined. */
  readonly delimiter: string | undefined;
};

/** Characters that are read to detect the format. */
const sampleLength = 65_536;
/** The limit of a request body. */
const maxLineLength = 1_048_576;

/**
 * Reads the header of a file and returns its rows.
 * @throws TransferError if the file is invalid
 * @throws MappingError if it is empty
 */
export async function openRows(chunks: AsyncIterable<string>, options: RowOptions): Promise<OpenRows> {
  const { name, format } = options;
  const { sample, all } = await readSample(chunks);
  const delimiter = options.delimiter ?? detectDelimiter(sample);
  const shape = { format, delimiter, hasBom: sample.startsWith("\ufeff") };
  if (format === "ndjson") return { ...shape, header: undefined, rows: ndjsonRows(all, name) };
  const rows = csvRows(all, delimiter, name);
  const first = await rows.next();
  if (first.done === true)
    throw new MappingError(`${name} is empty. The first line must have the column names.`, { code: "empty_file" });
  return { ...shape, header: first.value.raw as readonly string[], rows };
}

/** Reads a text up to its first line end. Returns it, and the complete text. */
async function readSample(chunks: AsyncIterable<string>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let sample = "";
  let isEnd = false;
  while (!isEnd && sample.length < sampleLength && !sample.includes("\n")) {
    const { value, done } = await iterator.next();
    isEnd = done === true;
    if (!isEnd) sample += value;
  }
  async function* all(): AsyncGenerator<string> {
    yield sample;
    if (!isEnd) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { sample, all: all() };
}

async function* csvRows(chunks: AsyncIterable<string>, delimiter: string, name: string): AsyncGenerator<RawRow> {
  const parser = new CsvParser({ delimiter, name });
  for await (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.end();
}

async function* ndjsonRows(chunks: AsyncIterable<string>, name: string): AsyncGenerator<RawRow> {
  let [line, rest] = [0, ""];
  const take = (text: string): readonly RawRow[] => {
    line += 1;
    const raw = text.replace(/^\ufeff/, "").trim();
    return raw === "" ? [] : [{ line, raw }];
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.flatMap(take);
    if (rest.length > maxLineLength)
      throw new TransferError(`${name}: line ${line + 1} is longer than 1 MiB. Put each record on its own line.`, {
        code: "row_too_long",
        line: line + 1,
      });
  }
  yield* take(rest);
}
