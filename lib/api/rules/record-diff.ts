import { ApiError, type FieldError, type ValidationIssue } from "../../model/errors.ts";
import type { BaseRecord, FieldValues, Model } from "../../model/model.ts";

/** Whether two values of a field are the same; objects by their JSON, keys in any order. */
export function deepEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(canonicalize(a)) === JSON.stringify(canonicalize(b));
}

/** The value with the keys of its objects in order, so that equal values have equal JSON, and others another. */
export function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize);
  // What `1e999` is read as would be written as null. No text that is accepted anywhere has half a character.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return "\ud800";
  if (typeof value !== "object" || value === null) return value;
  const from = value as FieldValues;
  // Without a prototype, every name is as good as any other.
  const to: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(from).sort()) to[key] = canonicalize(from[key]);
  return to;
}

/** The values of a new record: what was sent, and the default of every other field. */
export function withDefaults(model: Model, input: FieldValues): FieldValues {
  const defaults = Object.entries(model.fields).map(([name, { default: value }]) => [name, value ?? null]);
  return { ...Object.fromEntries(defaults), ...input };
}

/** The fields named in a PATCH whose value differs. Read-only ones among them are refused, all at once. */
export function diffRecord(
  model: Model,
  before: BaseRecord & FieldValues,
  input: FieldValues,
): { changes: FieldValues; findings: ValidationIssue[] } {
  const changed = Object.entries(input).filter(([name, value]) => !deepEqual(value, before[name]));
  const writable = changed.filter(([name]) => model.fields[name] !== undefined && model.fields[name].readOnly !== true);
  const refused = changed.filter((entry) => !writable.includes(entry));
  return { changes: Object.fromEntries(writable), findings: refused.map(([name]) => readOnlyIssue(name)) };
}

export function readOnlyIssue(name: string): ValidationIssue {
  const message = `${name} is set by the service and cannot be changed; leave it out or send it back as it was.`;
  return shapeIssue({ path: `/${name}`, code: "read_only", message });
}

export function shapeIssue(problem: FieldError): ValidationIssue {
  return { kind: "shape", problem };
}

/** A change of state that is not allowed now. `allowed` names the states that are. */
export function stateConflict(message: string, reason: string, allowed: readonly string[]): ApiError {
  return new ApiError("conflict", message, { details: { reason, allowed } });
}
