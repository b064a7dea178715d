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
  if (/\.(xlsx?|ods)$/i.test(file))
    throw new MappingError(`${file}: spreadsheets can't be used. Use a CSV file.`, { code: "spreadsheet" });
  if (/\.json$/i.test(file))
    throw new MappingError(`${file}: if every line is one JSON object, use the extension .ndjson.`, {
      code: "json_file",
    });
  return "csv";
}

/** Why a file can't be read, and the line. With them, a program can use its own words. */
export type FileFault = {
  readonly code:
    | ("spreadsheet" | "json_file" | "empty_file" | "invalid_encoding" | "not_text" | "row_too_long")
    | ("unquoted_quote" | "unclosed_quote" | "text_after_quote");
  /** The first line is 1. Undefined if the fault isn't in one line. */
  readonly line?: number;
};

/** A file can't be read. The message is meant for people. */
export class TransferError extends Error {
  readonly fault: FileFault | undefined;

  constructor(message: string, fault?: FileFault) {
    super(message);
    this.fault = fault;
  }
}

/** The columns or the options don't fit the file. The message is meant for people. */
export class MappingError extends TransferError {}
