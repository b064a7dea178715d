import * as v from "valibot";
import { dateTime } from "./date-time.ts";
import type { Field, Model } from "./model.ts";
import { capitalize, withArticle } from "./names.ts";
import { describe, jsonSchema, refine, uuid } from "./scalars.ts";

type Entries = Record<string, v.GenericSchema>;

/** A field that a body must not contain. */
export const readOnlyField = v.optional(
  v.pipe(
    v.unknown(),
    jsonSchema({ not: {} }),
    refine("read_only", () => false, "is read-only"),
  ),
);

/** The fields that the server sets in every record. */
const baseFields: Entries = {
  id: describe(uuid, "Unique ID, assigned on creation."),
  createdAt: describe(dateTime, "Time of creation."),
  updatedAt: describe(dateTime, "Time of the last change. Lists are sorted by this field."),
};
const archivedAt = describe(dateTime, "Time the record was archived. Present only on archived records.");

/** Returns the schema of a POST body. Read-only fields are rejected. */
export function createSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field, schema] of visible(model)) {
    if (field.readOnly === true) entries[name] = readOnlyField;
    else if (field.required === true) entries[name] = schema;
    else
      entries[name] = v.optional("default" in field ? v.pipe(schema, jsonSchema({ default: field.default })) : schema);
  }
  for (const name of [...Object.keys(baseFields), "archivedAt"]) entries[name] = readOnlyField;
  const description = `Fields of a new ${model.kind}. Omitted fields get their default value, or \`null\`.`;
  return v.pipe(v.strictObject(entries), jsonSchema({ title: `${capitalize(model.kind)}Create`, description }));
}

/** Returns the schema of a PATCH body. Read-only fields are accepted. The handler checks that they are unchanged. */
export function updateSchema(model: Model): v.GenericSchema {
  const entries: Entries = {};
  for (const [name, field, schema] of visible(model)) {
    entries[name] = v.optional(field.readOnly !== undefined ? unchanged(schema) : (field.changes ?? schema));
  }
  for (const [name, schema] of Object.entries(baseFields)) entries[name] = v.optional(unchanged(schema));
  entries.archivedAt = v.optional(unchanged(v.nullable(archivedAt)));
  const description = "Fields to change. Omitted fields keep their value. Read-only fields are accepted if unchanged.";
  return v.pipe(v.strictObject(entries), jsonSchema({ title: `${capitalize(model.kind)}Update`, description }));
}

/** Returns the schema of a POST body that creates or updates a record: it may omit all fields. */
export function upsertSchema(model: Model): v.GenericSchema {
  const entries = visible(model).flatMap(([name, field, schema]): [string, v.GenericSchema][] =>
    field.readOnly === true ? [] : [[name, v.optional(schema)]],
  );
  const description = `Fields of ${withArticle(model.kind)}. Omitted fields of an existing record keep their value.`;
  return v.pipe(
    v.strictObject(Object.fromEntries(entries)),
    jsonSchema({ title: `${capitalize(model.kind)}Upsert`, description }),
  );
}

/** Returns the schema of a record in a response, with additional members. */
export function recordSchema(model: Model, more: Entries = {}): v.GenericSchema {
  return v.pipe(
    v.strictObject({ ...visibleFieldSchemas(model), ...more }),
    jsonSchema({ title: capitalize(model.kind), description: model.descriptions?.about }),
  );
}

/** Returns the schema of a record that can be archived. */
export function archivableSchema(model: Model): v.GenericSchema {
  return recordSchema(model, { archivedAt: v.optional(archivedAt) });
}

/** Returns the schemas of the fields in a response: all of them, or those with the given names. */
export function visibleFieldSchemas<Name extends string>(
  model: Model,
  ...names: readonly Name[]
): Record<Name, v.GenericSchema> {
  const fields = visible(model).map(([name, , schema]): [string, v.GenericSchema] => [name, schema]);
  const { id, ...times } = baseFields;
  const all = Object.entries({ id: id as v.GenericSchema, ...Object.fromEntries(fields), ...times });
  const selected = names.length === 0 ? all : all.filter(([name]) => (names as readonly string[]).includes(name));
  return Object.fromEntries(selected) as Record<Name, v.GenericSchema>;
}

/** The schema of a POST without fields. The body may be absent. */
export const emptyBody = v.optional(v.strictObject({}), {});

/** Returns the schema of a record in a tenant file. It has all fields, the ID and the times, most of them optional. */
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

/** Returns the fields that aren't hidden, with their described schemas. */
function visible({ fields, descriptions }: Model): [string, Field, v.GenericSchema][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field, v.GenericSchema][] => {
    if (field.hidden === true) return [];
    const description = descriptions?.fields[name];
    return [[name, field, description === undefined ? field.schema : describe(field.schema, description)]];
  });
}

function unchanged(schema: v.GenericSchema): v.GenericSchema {
  return v.pipe(schema, jsonSchema({ readOnly: true }));
}

/** Returns the name of the kind as a type, such as `Account`. */
