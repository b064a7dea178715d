import * as v from "valibot";
import { ApiError, type FieldError, type ValidationIssue } from "../../model/errors.ts";
import type { BaseRecord, Field, FieldValues, Model } from "../../model/model.ts";

/** Returns whether two values are equal. The order of object keys is ignored. */
export function deepEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(canonicalize(a)) === JSON.stringify(canonicalize(b));
}

/** Sorts the keys of all objects in a value, so that two values have the same JSON only if they are equal. */
export function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize);
  // JSON has no Infinity, which JSON.parse returns for 1e999. A lone surrogate is never equal to an accepted text.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return "\ud800";
  if (typeof value !== "object" || value === null) return value;
  const from = value as FieldValues;
  // Without a prototype, the key __proto__ is an ordinary key.
  const to: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(from).sort()) to[key] = canonicalize(from[key]);
  return to;
}

/** Returns the values of a new record. Omitted fields get their default value. */
export function withDefaults(model: Model, input: FieldValues): FieldValues {
  const defaults = Object.entries(model.fields).map(([name, { default: value }]) => [name, value ?? null]);
  return { ...Object.fromEntries(defaults), ...input };
}

/**
 * Merges the members of objects into the stored objects, for fields with `changes` in the model. An object without a
 * value is the same as null in a new record, and changes nothing in an existing one.
 */
export function mergeObjectFields(model: Model, before: FieldValues | undefined, input: FieldValues): FieldValues {
  const merged = Object.entries(input).map(([name, value]) => {
    const { changes, schema } = model.fields[name] ?? {};
    if (changes === undefined || schema === undefined || typeof value !== "object" || value === null)
      return [name, value];
    const isEmpty = Object.values(value).every((member) => member === null);
    if (before === undefined) return [name, isEmpty ? null : value];
    if (Object.keys(value).length === 0) return [name, before[name]];
    return [name, { ...(before[name] ?? (v.parse(schema, {}) as object)), ...value }];
  });
  return Object.fromEntries(merged);
}

/** Returns the fields of a PATCH that change the record. A change of a read-only field is an issue. */
export function diffRecord(
  model: Model,
  before: BaseRecord & FieldValues,
  input: FieldValues,
): { changes: FieldValues; issues: ValidationIssue[] } {
  const changed = Object.entries(input).filter(([name, value]) => !deepEqual(value, before[name]));
  const isWritable = (field: Field | undefined) => field !== undefined && field.readOnly === undefined;
  const writable = changed.filter(([name]) => isWritable(model.fields[name]));
  const readOnly = changed.filter((entry) => !writable.includes(entry));
  return { changes: Object.fromEntries(writable), issues: readOnly.map(([name]) => readOnlyIssue(name)) };
}

/** Returns the issue of a changed read-only field. */
export function readOnlyIssue(name: string): ValidationIssue {
  const message = `${name} is read-only. Omit it or send its current value.`;
  return shapeIssue({ path: `/${name}`, code: "read_only", message });
}

/** Returns an issue of the kind `shape`. */
export function shapeIssue(problem: FieldError): ValidationIssue {
  return { kind: "shape", problem };
}

/** Returns the `409 conflict` of a change that the current state doesn't allow. */
export function stateConflict(message: string, reason: string, allowed: readonly string[]): ApiError {
  return new ApiError("conflict", message, { details: { reason, allowed } });
}
