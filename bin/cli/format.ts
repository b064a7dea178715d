/** A time as part of a file's name; names sort as times do: `2026-11-21T14-30-00-123Z`. */
export function fileTimestamp(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

/** The time that `fileTimestamp` wrote, in milliseconds since 1970; undefined where it is none. */
export function parseFileTimestamp(stamp: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/.exec(stamp);
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}:${match[2]}:${match[3]}.${match[4]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** `12.3 MB` */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
