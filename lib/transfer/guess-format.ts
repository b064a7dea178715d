import { parseMoney } from "./cell.ts";
import { markedEncoding } from "./decode-text.ts";
import { dateFormats, type LocaleFormat, normalizeDate } from "./locale-format.ts";

const isoDate = /^\d{4}-(\d{2})-(\d{2})/;

/** Returns whether a text is a date in this format. */
export function isDateIn(text: string, format: LocaleFormat["dateFormat"]): boolean {
  const [, month, day] = isoDate.exec(normalizeDate(text.trim(), format)) ?? [];
  return month !== undefined && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
}

/**
 * Returns the formats in which most values are dates. Ignores ISO dates, because every format accepts them. Returns
 * several formats if the values don't tell the day from the month, and none if no value is a date.
 */
export function guessDateFormats(values: readonly string[]): readonly LocaleFormat["dateFormat"][] {
  const local = values.filter((value) => value.trim() !== "" && !isDateIn(value, "YYYY-MM-DD"));
  const counts = dateFormats.map((format) => local.filter((value) => isDateIn(value, format)).length);
  const most = Math.max(...counts);
  return most === 0 ? [] : dateFormats.filter((_, index) => counts[index] === most);
}

/**
 * Returns the decimal separators with which most values are numbers. Returns both if a value has two meanings, such as
 * 1.200, and none if each value has the same meaning with both.
 */
export function guessDecimals(values: readonly string[]): readonly LocaleFormat["decimal"][] {
  const [point, comma] = ([".", ","] as const).map((decimal) => values.map((value) => readNumber(value, decimal)));
  let [onlyPoint, onlyComma, isAmbiguous] = [0, 0, false];
  for (const [index, a] of (point ?? []).entries()) {
    const b = comma?.[index];
    if (a === b) continue;
    if (b === undefined) onlyPoint += 1;
    else if (a === undefined) onlyComma += 1;
    else isAmbiguous = true;
  }
  if (onlyPoint !== onlyComma) return [onlyPoint > onlyComma ? "." : ","];
  return isAmbiguous || onlyPoint > 0 ? [".", ","] : [];
}

/** Returns the number in a cell, which can also contain a currency. Undefined if there is no number. */
function readNumber(cell: string, decimal: LocaleFormat["decimal"]): number | undefined {
  const value = parseMoney(cell.trim(), decimal);
  return typeof value === "object" ? value.amount : value;
}

/** Returns the encoding of a byte order mark, UTF-8 if a file is valid UTF-8, else Windows-1252, which accepts all bytes. */
export function guessEncoding(bytes: Uint8Array): LocaleFormat["encoding"] {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}
