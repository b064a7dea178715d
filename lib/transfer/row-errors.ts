import type { FieldError } from "../client/types.ts";

/** Why a row is rejected, or why a cell of it isn't imported. */
export type RowError = {
  /**
   * The code of the API, `unknown_reference` or `ambiguous_reference` for a name in a cell, or why the row can't be
   * read: `cell_count`, `unsplit`, `invalid_json`, `repeated_key`, `several_relations` or `archived`.
   */
  readonly code: string;
  /** The name of the target, such as `address.city`. Undefined if the error isn't about one cell. */
  readonly target?: string;
  readonly message: string;
  /** The message without values of this row, if it has some. Rows with the same reason can be counted together. */
  readonly reason?: string;
  /** The values in the message, or the details of the API. With them and the code, a program can use its own words. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};

/** An error of the API. */
export type ApiFailure = {
  readonly code?: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};

/** Returns the messages of errors, each once. */
export function messagesOf(errors: readonly RowError[]): readonly string[] {
  return [...new Set(errors.map(({ message }) => message))];
}

/**
 * Returns the errors of an API error. Adds the column name if it differs from the field name. `names` has the names of
 * existing records by their IDs.
 */
export function describeFailure(
  { code = "unknown", message, details }: ApiFailure,
  columnNames: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string> = new Map(),
): readonly RowError[] {
  const errors = (details?.errors ?? []) as readonly FieldError[];
  if (errors.length === 0) return [describeConflict({ code, message, details }, names)];
  const omitted = Number(details?.errorCount ?? errors.length) - errors.length;
  const described = errors.map(({ path, code, message, allowed, suggestion, limits }): RowError => {
    const target = targetName(path);
    const column = columnNames.get(target);
    const text = column === undefined ? message : `${message.replace(/\.$/, "")} (column "${column}").`;
    return {
      code,
      target,
      message: text,
      ...((allowed || suggestion || limits) && { details: { allowed, suggestion, limits } }),
    };
  });
  const more = { code: "more", message: `And ${omitted} more.`, details: { omitted } };
  return omitted > 0 ? [...described, more] : described;
}

/** Adds the existing records to the message of a conflict. */
function describeConflict({ code = "", message, details }: ApiFailure, names: ReadonlyMap<string, string>): RowError {
  const { existingId, field, ids } = details ?? {};
  const target = typeof field === "string" ? { target: field } : {};
  if (Array.isArray(ids)) return { code, message: `${message} IDs: ${ids.join(", ")}.`, reason: message, details };
  if (typeof existingId !== "string") return { code, message, ...target, details };
  const name = names.get(existingId);
  const known = name === undefined ? "" : ` It is "${name.slice(0, 60)}".`;
  const text = `${message} Existing record: ${existingId}.${known}`;
  return { code, message: text, reason: message, ...target, details: { existingId, name } };
}

/** Returns the target name of a JSON Pointer: `/address/city` is `address.city`, `/contactIds/0` is `contactIds`. */
function targetName(path: string): string {
  const [field = "", member = "0"] = path.slice(1).split("/");
  return /^\d+$/.test(member) ? field : `${field}.${member}`;
}
