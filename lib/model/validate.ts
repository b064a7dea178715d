import * as v from "valibot";
import { suggestCurrency } from "./currency.ts";
import { type FieldError, fieldErrorCodes, type ValidationIssue } from "./errors.ts";
import { exactNumberLimits } from "./exact-number.ts";
import type { FieldValues } from "./model.ts";
import { withArticle } from "./names.ts";
import { closest, maxSuggestions, quote, withSuggestion } from "./suggest.ts";

type Schema = v.GenericSchema;
type Parts = { entries?: Record<string, Schema>; item?: Schema; options?: readonly string[] };
type Path = readonly (string | number)[];

/** The parsed value, or all validation issues and the members that are valid. */
export type ValidationResult<T> =
  | { readonly value: T }
  | { readonly issues: readonly ValidationIssue[]; readonly valid: FieldValues };

/**
 * Validates a value against a schema and reports all errors at once, unknown keys among them.
 * @param root "" for a body, whose paths are JSON Pointers, and "?" for a query string
 * @param alsoAllowed keys that aren't in the schema, but valid suggestions
 */
export function validate<S extends Schema>(
  schema: S,
  value: unknown,
  root: "" | "?",
  alsoAllowed: readonly string[] = [],
): ValidationResult<v.InferOutput<S>> {
  const problems: FieldError[] = [];
  const paths: Path[] = [];
  const pathsOfLists = unknownKeys(schema, value, [], root, problems, alsoAllowed);
  const result = v.safeParse(schema, value);
  for (const issue of result.issues ?? []) {
    const path = (issue.path ?? []).map((item) => item.key as string | number);
    paths.push(path);
    const known = issue.expected === "never" || pathsOfLists.some((start) => start.every((key, i) => path[i] === key));
    if (!known) problems.push(problemOf(issue, schema, path, root, problems.length < maxSuggestions));
  }
  if (result.success && problems.length === 0) return { value: result.output };
  return {
    issues: problems.map((problem) => ({ kind: "shape", problem })),
    valid: validMembers(result.output, paths),
  };
}

/** Returns the members without an issue. A list whose entries have issues has `null` in place of these entries. */
function validMembers(output: unknown, issuePaths: readonly Path[]): FieldValues {
  const members = typeof output === "object" && output !== null ? { ...output } : {};
  const valid = members as Record<string, unknown>;
  for (const [name = "", index] of issuePaths) {
    const value = valid[name];
    if (typeof index === "number" && Array.isArray(value)) value[index] = null;
    else delete valid[name];
  }
  return valid;
}

const strictObjects = new WeakMap<object, Schema>();

/** Returns a schema of an object with these members and no others. It is created once per `entries`. */
export function strictObject(entries: Readonly<Record<string, Schema>>): Schema {
  const schema = strictObjects.get(entries) ?? v.strictObject({ ...entries });
  strictObjects.set(entries, schema);
  return schema;
}

/** Returns a JSON Pointer, or `?name` for a query parameter. Keys are cut at 100 characters. */
export function jsonPointer(path: Path, root: "" | "?" = ""): string {
  if (root === "?") return `?${cut(path[0] ?? "", 100)}`;
  return path.map((key) => `/${cut(key, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Adds an error for each unknown key. Returns the paths that have a list instead of an object. */
function unknownKeys(
  schema: Schema,
  value: unknown,
  path: Path,
  root: "" | "?",
  problems: FieldError[],
  alsoAllowed: readonly string[] = [],
): Path[] {
  const { entries, item } = parts(schema);
  if (item !== undefined && Array.isArray(value)) {
    return value.flatMap((each, index) => unknownKeys(item, each, [...path, index], root, problems));
  }
  if (entries === undefined || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    problems.push({
      path: jsonPointer(path, root),
      code: "invalid_type",
      message: `${fieldName(path)} must be an object, not a list.`,
    });
    return [path];
  }
  return Object.keys(value).flatMap((key) => {
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (entry !== undefined)
      return unknownKeys(entry, (value as Record<string, unknown>)[key], [...path, key], root, problems);
    const noun = root === "?" ? "parameter" : "field";
    const suggestion =
      problems.length < maxSuggestions ? closest(key, [...Object.keys(entries), ...alsoAllowed]) : undefined;
    const explained = withSuggestion(`Unknown ${noun} ${quote(key)}.`, suggestion);
    const allowed = [...writableKeys(entries), ...alsoAllowed];
    problems.push({ path: jsonPointer([...path, key], root), code: "unknown_key", ...explained, allowed });
    return [];
  });
}

/** Returns the keys that a caller can set. */
function writableKeys(entries: Record<string, Schema>): string[] {
  const isReadOnly = (schema: Schema): boolean => {
    const { readOnly, not } = v.getMetadata(unwrap(schema)) as { readOnly?: true; not?: object };
    return readOnly === true || not !== undefined;
  };
  return Object.entries(entries).flatMap(([key, schema]) => (isReadOnly(schema) ? [] : [key]));
}

function problemOf(
  issue: v.BaseIssue<unknown>,
  schema: Schema,
  path: Path,
  root: "" | "?",
  hasSuggestion: boolean,
): FieldError {
  const error = { path: jsonPointer(path, root) };
  const name = fieldName(path);
  if (issue.kind !== "schema") {
    const code = codeOf(issue);
    const limits = code === "too_long" || code === "out_of_range" ? limitsAt(schema, path) : {};
    const { format } = v.getMetadata(schemaAt(schema, path) as Schema);
    const suggestion = format === "iso-4217" ? suggestCurrency(String(issue.input)) : undefined;
    return { ...error, code, ...withSuggestion(`${name} ${issue.message}.`, suggestion), ...limits };
  }
  if (issue.input === undefined) return { ...error, code: "required", message: `${name} is required.` };
  const allowed = issue.type === "picklist" ? schemaAt(schema, path).options : undefined;
  if (allowed !== undefined) {
    const isText = typeof issue.input === "string";
    const suggestion = hasSuggestion && isText ? closest(String(issue.input), allowed) : undefined;
    const explained = withSuggestion(`${name} must be one of: ${allowed.join(", ")}.`, suggestion);
    return { ...error, code: isText ? "not_an_option" : "invalid_type", ...explained, allowed };
  }
  const predicate = issue.message.startsWith("must ")
    ? issue.message
    : `must be ${withArticle((issue.expected ?? "something else").toLowerCase())}`;
  return {
    ...error,
    code: "invalid_type",
    message: `${name} ${predicate}${issue.input === null ? ", not null" : ""}.`,
  };
}

/** The codes of valibot's checks. A check of `refine` has the code as its type. */
const checkCodes: Readonly<Record<string, FieldError["code"]>> = {
  integer: "invalid_type",
  min_value: "out_of_range",
  max_value: "out_of_range",
  regex: "invalid_format",
};

function codeOf({ type }: v.BaseIssue<unknown>): FieldError["code"] {
  const code = checkCodes[type] ?? fieldErrorCodes.find((known) => known === type);
  if (code === undefined) throw new TypeError(`A schema uses the check ${type}, which has no field error code.`);
  return code;
}

function parts(schema: Schema): Parts {
  return unwrap(schema) as Parts;
}

/** Returns the schema inside optional and nullable wrappers. */
function unwrap(schema: Schema): Schema {
  let inner = schema as Schema & { wrapped?: Schema };
  while (inner.wrapped !== undefined) inner = inner.wrapped;
  return inner;
}

function schemaAt(schema: Schema, path: Path): Parts {
  let found = parts(schema);
  for (const key of path) {
    const next: Schema | undefined = typeof key === "number" ? found.item : found.entries?.[key];
    if (next === undefined) return {};
    found = parts(next);
  }
  return found;
}

/** The limits that a JSON Schema can have. */
const limitNames = ["minimum", "maximum", "maxLength", "minItems", "maxItems"];

/** Returns the limits of the value at a path. A number without limits has too many digits. */
function limitsAt(schema: Schema, path: Path): Pick<FieldError, "limits"> {
  const found = schemaAt(schema, path) as Schema;
  const limits = Object.entries(v.getMetadata(found)).filter(([name]) => limitNames.includes(name));
  if (limits.length > 0) return { limits: Object.fromEntries(limits) };
  return found.type === "number" ? { limits: exactNumberLimits } : {};
}

function fieldName(path: Path): string {
  return path.length === 0 ? "The body" : path.map((key) => cut(key, 60)).join(".");
}

/** Cuts a key without leaving half of a surrogate pair, which some JSON parsers reject. */
function cut(key: string | number, maxLength: number): string {
  return String(key).slice(0, maxLength).toWellFormed();
}
