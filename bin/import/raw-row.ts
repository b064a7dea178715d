import { UsageError } from "../cli/errors.ts";

export const formats = ["csv", "ndjson"] as const;
export type Format = (typeof formats)[number];

/** An unparsed row: CSV cells, or the text of an NDJSON line. */
export type RawRow = { readonly line: number; readonly raw: readonly string[] | string };

/** Returns the format by the file extension. @throws UsageError if the extension is ambiguous, or of a spreadsheet */
export function formatByName(file: string): Format {
  if (/\.(ndjson|jsonl)$/i.test(file)) return "ndjson";
  if (/\.(xlsx?|ods)$/i.test(file)) throw new UsageError(`${file}: spreadsheets can't be used. Use a CSV file.`);
  if (/\.json$/i.test(file))
    throw new UsageError(`${file}: if every line is one JSON object, use the extension .ndjson.`);
  return "csv";
}
