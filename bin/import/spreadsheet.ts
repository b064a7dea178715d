import type { Target } from "./target.ts";

/** How a cell begins that spreadsheets run as a formula, and a cell that was kept from it. */
const formula = /^'*[=+\-@\t\r]/;
const shield = /^'+[=+\-@\t\r]/;

/** The cell with a ' before what a spreadsheet would run. Numbers, amounts and times are left as they are. */
export function escapeFormula({ form }: Target, cell: string): string {
  return form !== "number" && form !== "currency" && form !== "service" && formula.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was before `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return shield.test(cell) ? cell.slice(1) : cell;
}
