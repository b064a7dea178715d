/** Formats a time for a file name. Such names sort by time: `2026-11-21T14-30-00-123Z`. */
export function fileTimestamp(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

/** Parses the result of `fileTimestamp` into milliseconds since 1970. Returns undefined for other text. */
export function parseFileTimestamp(stamp: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/.exec(stamp);
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}:${match[2]}:${match[3]}.${match[4]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Formats a size, such as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}

/** Masks the API keys in a text in the same way as `key list`. */
export function maskKeys(text: string): string {
  return text.replace(/(crm_(?:live|test)_[0-9A-Za-z]{8})_?[0-9A-Za-z][0-9A-Za-z_]*/g, "$1_****");
}

/** Formats rows as an aligned text table with a header. */
export function formatTable(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  const texts = [columns, ...rows.map((row) => columns.map((column) => formatCell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...texts.map((text) => text[index]?.length ?? 0)));
  const lines = texts.map((text) =>
    text
      .map((value, index) => value.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return Array.isArray(value) ? value.join(",") : String(value);
}
