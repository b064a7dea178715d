import type { Target } from "./target.ts";

/** The start of a cell that a spreadsheet runs as a formula, and of an escaped cell. */
const formula = /^'*[=+\-@\t\r]/;
const escaped = /^'+[=+\-@\t\r]/;

/** Adds a ' before a cell that a spreadsheet would run. Numbers, amounts and timestamps are unchanged. */
export function escapeFormula({ form }: Target, cell: string): string {
  return form !== "number" && form !== "currency" && form !== "readOnly" && formula.test(cell) ? `'${cell}` : cell;
}

/** Reverses `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return escaped.test(cell) ? cell.slice(1) : cell;
}
