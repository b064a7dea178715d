import type { ApiError, FieldError } from "#lib";
import type { Target } from "./target.ts";

/** An error of a row. `names` has the targets that it can belong to. */
export type RowError = { readonly message: string; readonly names: readonly string[] };

/**
 * Returns the messages of an API error. Adds the column name if it differs from the field name. Omits errors of the
 * `reported` targets, whose values were invalid and not sent.
 */
export function describeErrors(
  { message, details }: ApiError,
  columnNames: ReadonlyMap<string, string>,
  reported: readonly Target[] = [],
  aboutExisting = "",
): readonly RowError[] {
  const errors = (details?.errors ?? []) as readonly FieldError[];
  if (errors.length === 0) {
    const about = aboutExisting === "" ? "" : ` (${aboutExisting})`;
    const existing = typeof details?.existingId === "string" ? ` Existing record: ${details.existingId}${about}.` : "";
    return [{ message: message + existing, names: [] }];
  }
  const omitted = Number(details?.errorCount ?? errors.length) - errors.length;
  const messages = errors
    .filter(({ path }) => !reported.some(({ name }) => targetNames(path).includes(name)))
    .map(({ path, message }) => {
      const names = targetNames(path);
      const column = names.flatMap((name) => columnNames.get(name) ?? [])[0];
      return { message: column === undefined ? message : `${message.replace(/\.$/, "")} (column "${column}").`, names };
    });
  return omitted > 0 ? [...messages, { message: `And ${omitted} more.`, names: [] }] : messages;
}

/** Returns the target names of a JSON Pointer: `/address/city` is `address.city`, `/contactIds/0` is `contactIds`. */
function targetNames(path: string): readonly string[] {
  const [field = "", member] = path.slice(1).split("/");
  return member === undefined ? [field] : [`${field}.${member}`, field];
}
