/** Returns `YYYY-MM-DDTHH:mm:ss.sssZ`, or null if the value isn't a number. */
export function formatDateTime(timestamp: unknown): string | null {
  return typeof timestamp === "number" ? new Date(timestamp).toISOString() : null;
}
