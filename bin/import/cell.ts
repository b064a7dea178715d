import { type CellFormat, normalizeDate, normalizeNumber, plainFormat, yesNoOption } from "./cell-format.ts";
import type { Target } from "./target.ts";

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Parses a cell into the value for the API. Invalid text is passed on, because the API reports the error. */
export function parseCell(target: Target, cell: string, format: CellFormat = plainFormat): unknown {
  const text = cell.trim();
  if (target.yesNo !== undefined) return yesNoOption(text, target.yesNo);
  switch (target.form) {
    case "number":
      return parseNumber(text, format) ?? cell;
    case "currency":
      return parseMoney(text, format) ?? cell;
    case "options":
    case "references":
      return parseList(text);
    case "keyword":
      return target.time === undefined ? text : parseDate(text, target.time, format);
    case "reference":
      return text;
    default:
      return cell;
  }
}

/** Formats a value as a cell that `parseCell` can read. `null` is an empty cell. */
export function formatCell(target: Target, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return formatList(value.map(String));
  if (typeof value === "object" && target.form === "currency") {
    const { amount, currency } = value as { amount: number; currency: string };
    return `${amount} ${currency}`;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A date in the form of the file that fills a date-time means midnight in UTC. */
function parseDate(text: string, time: "date" | "dateTime", format: CellFormat): string {
  const date = normalizeDate(text, format);
  return time === "dateTime" && date !== text ? `${date}T00:00:00Z` : date;
}

function parseNumber(text: string, format: CellFormat): number | undefined {
  const normalized = normalizeNumber(text, format);
  return normalized !== undefined && numberForm.test(normalized) ? Number(normalized) : undefined;
}

/** Parses `12.5`, `12.5 EUR` or `12.5 €`. */
function parseMoney(text: string, format: CellFormat): unknown {
  const [, amountText = "", currency] = /^(\S.*?)(?:\s+([A-Za-z]{3}))?$/.exec(text.replace(/\s*€$/, " EUR")) ?? [];
  const amount = parseNumber(amountText, format);
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
