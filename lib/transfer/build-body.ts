import type { TargetValue } from "./row-values.ts";

type Body = Readonly<Record<string, unknown>>;

/**
 * Builds the body of a POST, or of a PATCH of the record `before`. A POST omits empty cells. A PATCH omits them too, or
 * sends `null` if `emptyClears` is true. Cells of an address change single members.
 */
export function buildBody(pairs: readonly TargetValue[], before: Body | undefined, emptyClears: boolean): Body {
  const fields = new Map<string, unknown>();
  const objects = new Map<string, Map<string, unknown>>();
  for (const { target, value } of pairs) {
    const { field, member, nullable, valueType } = target;
    if (value === undefined && !(emptyClears && before !== undefined && nullable)) continue;
    const newValue = value ?? (value === undefined && valueType === "references" ? [] : null);
    if (member === undefined) fields.set(field, newValue);
    else (objects.get(field) ?? startObject(objects, field, before)).set(member, newValue);
  }
  for (const [field, values] of objects) {
    const isEmpty = field !== "customFields" && [...values.values()].every((value) => value === null);
    fields.set(field, isEmpty ? null : Object.fromEntries(values));
  }
  return Object.fromEntries(fields);
}

/** Starts with the current members, because the API replaces the object. The API merges custom fields itself. */
function startObject(objects: Map<string, Map<string, unknown>>, field: string, before: Body | undefined) {
  const current = field === "customFields" ? undefined : before?.[field];
  const values = new Map<string, unknown>(Object.entries((current ?? {}) as Body));
  objects.set(field, values);
  return values;
}
