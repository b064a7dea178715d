import { ApiError, type Finding, type Problem } from "../errors.ts";
import type { Model, Stamps } from "../records/model.ts";

/** A record's values by field, whatever its kind. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether two values of a field are the same; objects by their JSON, keys in any order. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The value with the keys of its objects in order, so that equal values have equal JSON, and others another. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // What `1e999` is read as would be written as null. No text that is accepted anywhere has half a character.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return "\ud800";
  if (typeof value !== "object" || value === null) return value;
  const from = value as Values;
  // Without a prototype, every name is as good as any other.
  const to: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(from).sort()) to[key] = sorted(from[key]);
  return to;
}

/** The values of a new record: what was sent, and the default of every other field. */
export function fresh(model: Model, input: Values): Values {
  const defaults = Object.entries(model.fields).map(([name, { default: value }]) => [name, value ?? null]);
  return { ...Object.fromEntries(defaults), ...input };
}

/** The fields named in a PATCH whose value differs. Read-only ones among them are refused, all at once. */
export function changesOf(
  model: Model,
  before: Stamps & Values,
  input: Values,
): { changes: Values; findings: Finding[] } {
  const changed = Object.entries(input).filter(([name, value]) => !same(value, before[name]));
  const writable = changed.filter(([name]) => model.fields[name] !== undefined && model.fields[name].readOnly !== true);
  const refused = changed.filter((entry) => !writable.includes(entry));
  return { changes: Object.fromEntries(writable), findings: refused.map(([name]) => readOnly(name)) };
}

export function readOnly(name: string): Finding {
  const message = `${name} is set by the service and cannot be changed; leave it out or send it back as it was.`;
  return shape({ path: `/${name}`, code: "read_only", message });
}

export function shape(problem: Problem): Finding {
  return { kind: "shape", problem };
}

/** A change of state that is not allowed now. `allowed` names the states that are. */
export function stateConflict(message: string, reason: string, allowed: readonly string[]): ApiError {
  return new ApiError("conflict", message, { details: { reason, allowed } });
}
