import * as v from "valibot";
import type { Field, Model } from "./model.ts";
import { dateTime, describe, jsonSchema, refine, uuid } from "./scalars.ts";

type Entries = Record<string, v.GenericSchema>;

const readOnlyField = v.optional(
  v.pipe(
    v.unknown(),
    jsonSchema({ not: {} }),
    refine("read_only", () => false, "is set by the service; leave it out"),
  ),
);

/** What the service sets in every record. */
const stamps: Entries = {
  id: describe(uuid, "Given by the service, once and for ever."),
  createdAt: describe(dateTime, "When it was made."),
  updatedAt: describe(dateTime, "When it was last changed. Lists are in this order."),
};
const archivedAt = describe(
  dateTime,
  "Since when it is archived. Only archived records have it, and only lists with includeArchived show them.",
);

/** The body of a POST that creates: what is required, what may be said, and what only the service sets. */
export function createSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field, schema] of visible(model)) {
    if (field.readOnly === true) entries[name] = readOnlyField;
    else if (field.required === true) entries[name] = schema;
    else
      entries[name] = v.optional("default" in field ? v.pipe(schema, jsonSchema({ default: field.default })) : schema);
  }
  for (const name of [...Object.keys(stamps), "archivedAt"]) entries[name] = readOnlyField;
  const description = `A new ${model.kind}. What is left out gets its default, or null.`;
  return v.pipe(v.strictObject(entries), jsonSchema({ title: `${nameOf(model)}Create`, description }));
}

/** The body of a PATCH: any field, read-only ones too (whether they are unchanged is seen later). */
export function updateSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field, schema] of visible(model)) {
    entries[name] = v.optional(field.readOnly === true ? unchanged(schema) : schema);
  }
  for (const [name, schema] of Object.entries(stamps)) entries[name] = v.optional(unchanged(schema));
  entries.archivedAt = v.optional(unchanged(v.nullable(archivedAt)));
  const description = `Changes of the ${model.kind}. What is not named stays; what the service sets may come back as it was.`;
  return v.pipe(v.strictObject(entries), jsonSchema({ title: `${nameOf(model)}Update`, description }));
}

/** A record as answers show it (`present` makes it), with what else stands in it. */
export function recordSchema(model: Model, more: Entries = {}): v.GenericSchema {
  return v.pipe(
    v.strictObject({ ...visibleFieldSchemas(model), ...more }),
    jsonSchema({ title: nameOf(model), description: model.words?.about }),
  );
}

/** A record of a kind that can be archived. */
export function archivableSchema(model: Model): v.GenericSchema {
  return recordSchema(model, { archivedAt: v.optional(archivedAt) });
}

/** The id, the fields and the times as answers show them, all or those named. */
export function visibleFieldSchemas<Name extends string>(
  model: Model,
  ...names: readonly Name[]
): Record<Name, v.GenericSchema> {
  const fields = visible(model).map(([name, , schema]): [string, v.GenericSchema] => [name, schema]);
  const { id, ...times } = stamps;
  const all = Object.entries({ id: id as v.GenericSchema, ...Object.fromEntries(fields), ...times });
  const shown = names.length === 0 ? all : all.filter(([name]) => (names as readonly string[]).includes(name));
  return Object.fromEntries(shown) as Record<Name, v.GenericSchema>;
}

/** The body of a POST that takes nothing. */
export const emptyBody = v.optional(v.strictObject({}), {});

/** A record of a tenant file: every field, times and id too; what is left out gets its default. */
export function tenantFileEntrySchema(model: Model, more: Entries = {}) {
  const entries: Entries = { id: v.optional(uuid) };
  for (const [name, field, schema] of visible(model)) {
    entries[name] = field.required === true ? schema : v.optional(schema);
  }
  const times = {
    createdAt: v.optional(dateTime),
    updatedAt: v.optional(dateTime),
    archivedAt: v.optional(v.nullable(dateTime)),
  };
  return v.strictObject({ ...entries, ...times, ...more });
}

/** The fields that are shown, each with its schema and what is said of it. */
function visible({ fields, words }: Model): [string, Field, v.GenericSchema][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field, v.GenericSchema][] => {
    if (field.hidden === true) return [];
    const description = words?.fields[name];
    return [[name, field, description === undefined ? field.schema : describe(field.schema, description)]];
  });
}

function unchanged(schema: v.GenericSchema): v.GenericSchema {
  return v.pipe(schema, jsonSchema({ readOnly: true }));
}

/** What the kind is called where types have names. */
function nameOf({ kind }: Model): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
