/** Formats of dates in files. */
export const dateFormats = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY"] as const;
/** Character encodings of files. */
export const encodings = ["utf-8", "windows-1252", "utf-16le", "utf-16be"] as const;

/** The form of dates, numbers and characters in a file. */
export type LocaleFormat = {
  readonly dateFormat: (typeof dateFormats)[number];
  /** With a comma, points or spaces group thousands. */
  readonly decimal: "." | ",";
  /** Whether spaces around the cells are removed. */
  readonly trim: boolean;
  readonly encoding: (typeof encodings)[number];
};

const groupedNumber = /^[+-]?(\d+|\d{1,3}(\.\d{3})+|\d{1,3}([ \u00a0\u202f]\d{3})+)(,\d+)?$/;

/** Returns a number with a decimal point. Returns undefined if the text isn't a number with this separator. */
export function normalizeNumber(text: string, decimal: LocaleFormat["decimal"]): string | undefined {
  if (decimal === ".") return text;
  return groupedNumber.test(text) ? text.replace(/[. \u00a0\u202f]/g, "").replace(",", ".") : undefined;
}

/** Returns a date as YYYY-MM-DD, or the text if it doesn't have the format. The API rejects days that don't exist. */
export function normalizeDate(text: string, format: LocaleFormat["dateFormat"]): string {
  const parts = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text);
  const separator = format.charAt(2);
  if (format === "YYYY-MM-DD" || parts === null || parts[2] !== separator) return text;
  const [, first = "", , second = "", year] = parts;
  const [day, month] = format.startsWith("DD") ? [first, second] : [second, first];
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

const checked = ["yes", "y", "true", "1", "x", "ja", "j", "wahr"];
const unchecked = ["no", "n", "false", "0", "nein", "falsch"];

/** Converts a cell such as `x` or `false` to an option of a yes/no list. Returns other cells unchanged. */
export function toYesNoOption(cell: string, options: readonly string[]): string {
  const word = cell.trim().toLowerCase();
  if (options.length !== 2 || options.some((option) => option.toLowerCase() === word)) return cell;
  const find = (words: readonly string[]) => options.find((option) => words.includes(option.toLowerCase()));
  const [yes, no] = [find(checked), find(unchecked)];
  if (yes === undefined || no === undefined) return cell;
  return checked.includes(word) ? yes : unchecked.includes(word) ? no : cell;
}
