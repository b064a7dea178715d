/** Rows of text in columns, the head first; or the rows as JSON, one object each. */
export function tableText(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  const texts = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...texts.map((text) => text[index]?.length ?? 0)));
  const lines = texts.map((text) =>
    text
      .map((value, index) => value.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return Array.isArray(value) ? value.join(",") : String(value);
}
