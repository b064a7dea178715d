import { CsvParser, type CsvRow } from "./csv-parser.ts";

/** Yields the header and the rows of a CSV file in UTF-8. @throws Failure if the CSV is invalid */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  options: { readonly delimiter: string; readonly name: string },
): AsyncGenerator<CsvRow> {
  const parser = new CsvParser(options);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) yield* parser.push(decoder.decode(chunk, { stream: true }));
  yield* parser.push(decoder.decode());
  yield* parser.end();
}
