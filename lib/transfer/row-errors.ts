/** Why a row is rejected, or why a cell of it isn't imported. */
export type RowError = {
  /** The code of the API, or `unknown_reference` and `ambiguous_reference` for names in cells. */
  readonly code: string;
  /** The name of the target, such as `address.city`. Undefined if the error isn't about one cell. */
  readonly target?: string;
  readonly message: string;
  /** The message without values of this row, if it has some. Rows with the same reason can be counted together. */
  readonly reason?: string;
};

/** An error of the API. */
export type ApiFailure = {
  readonly code?: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};
type FieldError = { readonly path: string; readonly code: string; readonly message: string };

/** Returns the messages of errors, each once. */
export function messagesOf(errors: readonly RowError[]): readonly string[] {
  return [...new Set(errors.map(({ message }) => message))];
}

/** Returns an error of the format of a row. */
export function formatError(message: string): RowError {
  return { code: "invalid_format", message };
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
  const described = errors.map(({ path, code, message }): RowError => {
    const target = targetName(path);
    const column = columnNames.get(target);
    const text = column === undefined ? message : `${message.replace(/\.$/, "")} (column "${column}").`;
    return { code, target, message: text };
  });
  return omitted > 0 ? [...described, { code: "more", message: `And ${omitted} more.` }] : described;
}

/** Adds the existing records to the message of a conflict. */
function describeConflict({ code = "", message, details }: ApiFailure, names: ReadonlyMap<string, string>): RowError {
  const { existingId, field, ids } = details ?? {};
  const target = typeof field === "string" ? { target: field } : {};
  if (Array.isArray(ids)) return { code, message: `${message} IDs: ${ids.join(", ")}.`, reason: message };
  if (typeof existingId !== "string") return { code, message, ...target };
  const name = names.get(existingId);
  const known = name === undefined ? "" : ` It is "${name.slice(0, 60)}".`;
  return { code, message: `${message} Existing record: ${existingId}.${known}`, reason: message, ...target };
}

/** Returns the target name of a JSON Pointer: `/address/city` is `address.city`, `/contactIds/0` is `contactIds`. */
function targetName(path: string): string {
  const [field = "", member = "0"] = path.slice(1).split("/");
  return /^\d+$/.test(member) ? field : `${field}.${member}`;
}
