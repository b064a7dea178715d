export const formats = ["csv", "ndjson"] as const;
export type Format = (typeof formats)[number];

/** An unparsed row: CSV cells, or the text of an NDJSON line. */
export type RawRow = { readonly line: number; readonly raw: readonly string[] | string };

/** Columns that a file of rejected rows adds. `_text` has the text of a row that can't be split into cells. */
export const textColumn = "_text";
export const rejectColumns = ["_line", "_errors", textColumn];

/** Returns the format by the file extension. @throws MappingError if the extension is ambiguous, or of a spreadsheet */
export function formatByName(file: string): Format {
  if (/\.(ndjson|jsonl)$/i.test(file)) return "ndjson";
  if (/\.(xlsx?|ods)$/i.test(file)) throw new MappingError(`${file}: spreadsheets can't be used. Use a CSV file.`);
  if (/\.json$/i.test(file))
    throw new MappingError(`${file}: if every line is one JSON object, use the extension .ndjson.`);
  return "csv";
}

/** A file can't be read. The message is meant for people. */
export class TransferError extends Error {}

/** The columns or the options don't fit the file. The message is meant for people. */
export class MappingError extends TransferError {}
