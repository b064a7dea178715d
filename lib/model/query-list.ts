/** Joins values to the text of a query parameter. A backslash marks a comma or a backslash in a value. */
export function joinList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(",");
}

/** A comma after an even number of backslashes. */
const separator = /(?<=(?<!\\)(?:\\\\)*),/;

/** Splits the text of a query parameter. The opposite of `joinList`. */
export function splitList(text: string): string[] {
  return text.split(separator).map((value) => value.replace(/\\([\\,])/g, "$1"));
}
