/** The kinds of records that files have, and the names of their lists in the API. */
export const collections = {
  account: "accounts",
  contact: "contacts",
  opportunity: "opportunities",
  task: "tasks",
  note: "notes",
} as const;

export type Entity = keyof typeof collections;

export const entities = Object.keys(collections) as readonly Entity[];

/** Kinds whose records have custom fields. */
export const entitiesWithFields: readonly Entity[] = ["account", "contact", "opportunity"];

/** Kinds with few records, which are all read at once. */
export const smallKinds: readonly string[] = ["user", "pipeline", "stage"];

/** Fields that identify a record in a cell, in addition to its ID. Exports write the first one with a value. */
const lookupFields: Readonly<Record<string, readonly string[]>> = {
  account: ["name", "externalId"],
  contact: ["email", "externalId"],
  opportunity: ["externalId"],
  note: ["externalId"],
  user: ["email", "name"],
  pipeline: ["name"],
  stage: ["name"],
};

/** Returns the fields that identify a record of any kind in a cell, in addition to its ID. */
export function lookupFieldsOf(kind: string): readonly string[] {
  return Object.hasOwn(lookupFields, kind) ? (lookupFields[kind] ?? []) : [];
}

/** Fields that identify the record of a row for an update. */
export const upsertFields: Readonly<Record<Entity, readonly string[]>> = Object.fromEntries(
  entities.map((entity) => [entity, [...lookupFieldsOf(entity), "id"]]),
) as Record<Entity, string[]>;

/** The field whose value only one record of the kind can have. */
export const uniqueFields: Readonly<Partial<Record<Entity, string>>> = { account: "name", contact: "email" };
