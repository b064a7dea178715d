import type { Target } from "./target.ts";

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * What a cell says, in the shape that the API takes. What does not fit its form goes on as the text that it is: the
 * API says what is wrong with it.
 */
export function parseCell(target: Target, cell: string): unknown {
  const word = cell.trim();
  switch (target.form) {
    case "number":
      return numberOf(word) ?? cell;
    case "currency":
      return moneyOf(word) ?? cell;
    case "options":
    case "references":
      return listOf(word);
    case "word":
    case "reference":
      return word;
    default:
      return cell;
  }
}

/** The cell of a value; empty for null. `parseCell` reads it back. */
export function formatCell(target: Target, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return listText(value.map(String));
  if (typeof value === "object" && target.form === "currency") {
    const { amount, currency } = value as { amount: number; currency: string };
    return `${amount} ${currency}`;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function numberOf(word: string): number | undefined {
  return numberForm.test(word) ? Number(word) : undefined;
}

/** `12.5`, or `12.5 EUR`. */
function moneyOf(word: string): unknown {
  const [, amountText = "", currency] = /^(\S+)(?:\s+([A-Za-z]{3}))?$/.exec(word) ?? [];
  const amount = numberOf(amountText);
  return amount === undefined || currency === undefined ? amount : { amount, currency };
}

/** `a; b`, or a JSON list where an entry has a semicolon itself. */
function listOf(word: string): readonly string[] {
  if (word.startsWith("[")) {
    const entries = jsonOf(word);
    if (Array.isArray(entries) && entries.every((entry) => typeof entry === "string")) return entries;
  }
  const entries = word.split(";").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "");
}

function listText(entries: readonly string[]): string {
  const text = entries.join("; ");
  const read = listOf(text);
  const same = read.length === entries.length && read.every((entry, index) => entry === entries[index]);
  return same ? text : JSON.stringify(entries);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
