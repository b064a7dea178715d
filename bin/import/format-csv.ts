/** Formats rows as CSV with \n at the end of each. Quotes a cell that a parser would read differently. */
export function formatCsv(rows: readonly (readonly string[])[], delimiter: string): string {
  const special = ['"', "\r", "\n", delimiter];
  const formatCell = (cell: string): string =>
    special.some((text) => cell.includes(text)) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((cells) => `${cells.map(formatCell).join(delimiter)}\n`).join("");
}
