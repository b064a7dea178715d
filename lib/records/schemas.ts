import * as v from "valibot";
import { instant, must, uuid } from "../input/scalars.ts";
import type { Model } from "./model.ts";

type Entries = Record<string, v.GenericSchema>;

const refused = v.optional(
  v.pipe(
    v.unknown(),
    must("read_only", () => false, "is set by the service; leave it out"),
  ),
);

/** What the service sets in every record, as it may come back in a PATCH. */
const stamps: Entries = { id: uuid, createdAt: instant, updatedAt: instant, archivedAt: v.nullable(instant) };

/** The body of a POST that creates: what is required, what may be said, and what only the service sets. */
export function createSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.readOnly === true) entries[name] = refused;
    else if (field.hidden !== true) entries[name] = field.required === true ? field.schema : v.optional(field.schema);
  }
  for (const name of Object.keys(stamps)) entries[name] = refused;
  return v.strictObject(entries);
}

/** The body of a PATCH: any field, read-only ones too (whether they are unchanged is seen later). */
export function patchSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.hidden !== true) entries[name] = v.optional(field.schema);
  }
  for (const [name, schema] of Object.entries(stamps)) entries[name] = v.optional(schema);
  return v.strictObject(entries);
}

/** The body of a POST that takes nothing. */
export const emptyBody = v.optional(v.strictObject({}), {});

/** A record of a tenant file: every field, times and id too; what is left out gets its default. */
export function entrySchema(model: Model, more: Entries = {}) {
  const entries: Entries = { id: v.optional(uuid) };
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.hidden !== true) entries[name] = field.required === true ? field.schema : v.optional(field.schema);
  }
  const times = {
    createdAt: v.optional(instant),
    updatedAt: v.optional(instant),
    archivedAt: v.optional(v.nullable(instant)),
  };
  return v.strictObject({ ...entries, ...times, ...more });
}
