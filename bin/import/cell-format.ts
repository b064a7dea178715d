import { InvalidArgumentError } from "commander";
import { UsageError } from "../cli/errors.ts";
import { booleanSetting, enumSetting, type Setting, type Values } from "../cli/setting.ts";

/** How the cells of a CSV file are written. */
export type CellFormat = {
  readonly decimal: "." | ",";
  /** The order and separators of a date, such as `DD.MM.YYYY`. Undefined for `YYYY-MM-DD`. */
  readonly dateFormat: string | undefined;
  readonly trim: boolean;
};

const dateFormatSetting: Setting<string | undefined> = {
  argument: "FORMAT",
  description: "form of dates, such as DD.MM.YYYY or M/D/YYYY (default: YYYY-MM-DD)",
  parse(text) {
    if (
      [/D{1,2}/g, /M{1,2}/g, /YYYY/g].every((part) => text.match(part)?.length === 1) &&
      !/[A-CE-LN-XZ\d]/i.test(text)
    )
      return text;
    throw new InvalidArgumentError("must contain DD, MM and YYYY once each, such as DD.MM.YYYY.");
  },
};

export const cellFormatSettings = {
  dateFormat: dateFormatSetting,
  decimal: enumSetting([".", ","], "decimal separator; with a comma, a point or a space groups thousands", "."),
  trim: booleanSetting("remove spaces around the value of every cell"),
} as const;

export type CellFormatValues = Values<typeof cellFormatSettings>;

export const plainFormat: CellFormat = { decimal: ".", dateFormat: undefined, trim: false };

/** Returns only the format of some options. */
export function cellFormatOf({ decimal, dateFormat = undefined, trim }: CellFormat): CellFormat {
  return { decimal, dateFormat, trim };
}

/** @throws UsageError if the options can't apply to NDJSON */
export function assertPlain(format: CellFormat): void {
  const { decimal, dateFormat, trim } = format;
  if (decimal === "." && dateFormat === undefined && !trim) return;
  throw new UsageError("--decimal, --date-format and --trim are for CSV. NDJSON has the values of the API.");
}

const grouped = /^[+-]?\d{1,3}(?:([. \u00a0\u202f'])\d{3}(?:\1\d{3})*)?$/;

/** Rewrites a number with a decimal point and without groups. Returns undefined for other text. */
export function normalizeNumber(text: string, { decimal }: CellFormat): string | undefined {
  if (decimal === ".") return text;
  const [whole = "", fraction, ...more] = text.split(",");
  const isNumber = grouped.test(whole) || /^[+-]?\d+$/.test(whole);
  if (!isNumber || more.length > 0) return undefined;
  const digits = whole.replace(/[^\d+-]/g, "");
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** Rewrites a date as `YYYY-MM-DD`. Returns other text unchanged, because the API reports the error. */
export function normalizeDate(text: string, { dateFormat }: CellFormat): string {
  if (dateFormat === undefined) return text;
  const pattern = dateFormat
    .replace(/[^DMY]/g, (separator) => `\\u{${(separator.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/YYYY/, "(?<year>\\d{4})")
    .replace(/D{1,2}/, "(?<day>\\d{1,2})")
    .replace(/M{1,2}/, "(?<month>\\d{1,2})");
  const { year = "", month = "", day = "" } = new RegExp(`^${pattern}$`, "u").exec(text)?.groups ?? {};
  return year === "" ? text : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

const [yesWords, noWords] = [
  ["yes", "ja", "true", "wahr", "1", "x"],
  ["no", "nein", "false", "falsch", "0"],
];

/** The options of a list that works as a checkbox. */
export type YesNo = { readonly yes: string; readonly no: string };

/** Returns the options of a list of two options that mean yes and no, in any order. */
export function yesNoOf(options: readonly string[]): YesNo | undefined {
  const yes = options.find((option) => yesWords.includes(option.toLowerCase()));
  const no = options.find((option) => noWords.includes(option.toLowerCase()));
  return options.length === 2 && yes !== undefined && no !== undefined ? { yes, no } : undefined;
}

/** Returns the option for a word such as `x`, `ja` or `false`. Returns other text unchanged. */
export function yesNoOption(text: string, { yes, no }: YesNo): string {
  const word = text.toLowerCase();
  return yesWords.includes(word) ? yes : noWords.includes(word) ? no : text;
}
