import type { ColumnTarget } from "./column-target.ts";

/** An error of the API. */
export type RowError = {
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};
type FieldError = { readonly path: string; readonly message: string };

/**
 * Returns the messages of an API error. Adds the column name if it differs from the field name. Omits errors of the
 * `reported` targets, whose values were invalid and not sent.
 */
export function describeErrors(
  { message, details }: RowError,
  columnNames: ReadonlyMap<string, string>,
  reported: readonly ColumnTarget[] = [],
): readonly string[] {
  const errors = (details?.errors ?? []) as readonly FieldError[];
  if (errors.length === 0) {
    const existing = typeof details?.existingId === "string" ? ` Existing record: ${details.existingId}.` : "";
    return [message + existing];
  }
  const omitted = Number(details?.errorCount ?? errors.length) - errors.length;
  const messages = errors
    .filter(({ path }) => !reported.some(({ name }) => targetNames(path).includes(name)))
    .map(({ path, message }) => {
      const column = targetNames(path).flatMap((name) => columnNames.get(name) ?? [])[0];
      return column === undefined ? message : `${message.replace(/\.$/, "")} (column "${column}").`;
    });
  return omitted > 0 ? [...messages, `And ${omitted} more.`] : messages;
}

/**
 * Returns the names of the targets with invalid values. A duplicate is a valid value: without it, an import of a
 * corrected file would create all records again.
 */
export function invalidTargets({ details }: RowError): readonly string[] {
  const errors = (details?.errors ?? []) as readonly FieldError[];
  return errors.flatMap(({ path }) => targetNames(path));
}

/** Returns the target names of a JSON Pointer: `/address/city` is `address.city`, `/contactIds/0` is `contactIds`. */
function targetNames(path: string): readonly string[] {
  const [field = "", member] = path.slice(1).split("/");
  return member === undefined ? [field] : [`${field}.${member}`, field];
}
