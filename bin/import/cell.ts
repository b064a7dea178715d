import type { Target } from "./target.ts";

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Parses a cell into the value for the API. Invalid text is passed on, because the API reports the error. */
export function parseCell(target: Target, cell: string): unknown {
  const text = cell.trim();
  switch (target.form) {
    case "number":
      return parseNumber(text) ?? cell;
    case "currency":
      return parseMoney(text) ?? cell;
    case "options":
    case "references":
      return parseList(text);
    case "keyword":
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

function parseNumber(text: string): number | undefined {
  return numberForm.test(text) ? Number(text) : undefined;
}

/** Parses `12.5` or `12.5 EUR`. */
function parseMoney(text: string): unknown {
  const [, amountText = "", currency] = /^(\S+)(?:\s+([A-Za-z]{3}))?$/.exec(text) ?? [];
  const amount = parseNumber(amountText);
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
