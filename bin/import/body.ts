import type { Pair } from "./row-values.ts";

type Body = Readonly<Record<string, unknown>>;

/**
 * The body of a POST, or of a PATCH of the record `before`. An empty cell is left out of a POST; in a PATCH it leaves
 * what is there, or clears it where `emptyClears`. An address is changed member by member, as cells are.
 */
export function bodyOf(pairs: readonly Pair[], before: Body | undefined, emptyClears: boolean): Body {
  const fields = new Map<string, unknown>();
  const objects = new Map<string, Map<string, unknown>>();
  for (const { target, value } of pairs) {
    const { field, member, nullable, form } = target;
    if (value === undefined && !(emptyClears && before !== undefined && nullable)) continue;
    const said = value ?? (value === undefined && form === "references" ? [] : null);
    if (member === undefined) fields.set(field, said);
    else (objects.get(field) ?? begun(objects, field, before)).set(member, said);
  }
  for (const [field, values] of objects) {
    const nothing = field !== "customFields" && [...values.values()].every((value) => value === null);
    fields.set(field, nothing ? null : Object.fromEntries(values));
  }
  return Object.fromEntries(fields);
}

/** An object that the API replaces whole begins as it is; custom fields are merged by the API. */
function begun(objects: Map<string, Map<string, unknown>>, field: string, before: Body | undefined) {
  const there = field === "customFields" ? undefined : before?.[field];
  const values = new Map<string, unknown>(Object.entries((there ?? {}) as Body));
  objects.set(field, values);
  return values;
}
