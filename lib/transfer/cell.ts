import { toExactNumber } from "../model/exact-number.ts";
import type { ColumnTarget } from "./column-target.ts";
import { type LocaleFormat, normalizeDate, normalizeNumber, toYesNoOption } from "./locale-format.ts";

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Parses a cell into the value for the API. Invalid text is passed on, because the API reports the error. A number that
 * a double can't hold exactly is Infinity, as in `parseJsonObject`.
 */
export function parseCell(target: ColumnTarget, cell: string, { decimal, dateFormat }: LocaleFormat): unknown {
  const text = cell.trim();
  switch (target.valueType) {
    case "number":
      return parseNumber(text, decimal) ?? cell;
    case "currency":
      return parseMoney(text, decimal) ?? cell;
    case "options":
    case "references":
      return parseList(text);
    case "keyword":
      return target.isDate === true ? normalizeDate(text, dateFormat) : text;
    case "reference":
      return text;
    default:
      return target.options === undefined ? cell : toYesNoOption(cell, target.options);
  }
}

/** Formats a value as a cell that `parseCell` can read. `null` is an empty cell. */
export function formatCell(target: ColumnTarget, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return formatList(value.map(String));
  if (typeof value === "object" && target.valueType === "currency") {
    const { amount, currency } = value as { amount: number; currency: string };
    return `${amount} ${currency}`;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function parseNumber(text: string, decimal: LocaleFormat["decimal"]): number | undefined {
  const number = normalizeNumber(text, decimal);
  return number !== undefined && numberForm.test(number) ? toExactNumber(number) : undefined;
}

/** Parses `12.5`, `12.5 EUR` or `12.5 €`. Returns undefined if the text has another form. */
export function parseMoney(
  text: string,
  decimal: LocaleFormat["decimal"],
): number | { readonly amount: number; readonly currency: string } | undefined {
  const [, amountText = "", currency] = /^(\S+)(?:\s+([A-Za-z]{3}))?$/.exec(text.replace(/\s*€$/, " EUR")) ?? [];
  const amount = parseNumber(amountText, decimal);
  return amount === undefined || currency === undefined ? amount : { amount, currency };
}

/** Parses `a; b`, or a JSON array if an entry contains a semicolon. */
function parseList(text: string): readonly string[] {
  if (text.startsWith("[")) {
    const entries = tryParseJson(text);
    if (Array.isArray(entries) && entries.every((entry) => typeof entry === "string")) return entries;
  }
  const entries = text.split(";").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "");
}

function formatList(entries: readonly string[]): string {
  const text = entries.join("; ");
  const parsed = parseList(text);
  const same = parsed.length === entries.length && parsed.every((entry, index) => entry === entries[index]);
  return same ? text : JSON.stringify(entries);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The start of a cell that a spreadsheet runs as a formula, and of an escaped cell. */
const formulaStart = /^'*[=+\-@\t\r]/;
const escapedFormulaStart = /^'+[=+\-@\t\r]/;

/** Adds a ' before a cell that a spreadsheet would run. Numbers, amounts and timestamps are unchanged. */
export function escapeFormula({ valueType }: ColumnTarget, cell: string): string {
  return valueType !== "number" && valueType !== "currency" && valueType !== "readOnly" && formulaStart.test(cell)
    ? `'${cell}`
    : cell;
}

/** Reverses `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return escapedFormulaStart.test(cell) ? cell.slice(1) : cell;
}
