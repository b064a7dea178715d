type EntityDefinition = {
  /** The name of its list in the API. */
  readonly collection: string;
  /** Fields that identify a record in a cell, in addition to its ID. Exports write the first one with a value. */
  readonly lookupFields: readonly string[];
  /** The field whose value only one record can have. */
  readonly uniqueField?: string;
};

/** The kinds of records that files have. Everything that imports and exports need to know of a kind is here. */
const definitions = {
  account: { collection: "accounts", lookupFields: ["name", "externalId"], uniqueField: "name" },
  contact: { collection: "contacts", lookupFields: ["email", "externalId"], uniqueField: "email" },
  opportunity: { collection: "opportunities", lookupFields: ["externalId"] },
  task: { collection: "tasks", lookupFields: [] },
  note: { collection: "notes", lookupFields: ["externalId"] },
} as const satisfies Readonly<Record<string, EntityDefinition>>;

export type Entity = keyof typeof definitions;
type Collections = { readonly [E in Entity]: (typeof definitions)[E]["collection"] };

export const entities = Object.keys(definitions) as readonly Entity[];

/** The names of the lists of all kinds. */
export const collections = mapEntities(({ collection }) => collection) as Collections;

/** Fields that identify the record of a row for an update. */
export const upsertFields = mapEntities(({ lookupFields }) => [...lookupFields, "id"]);

/** Fields that identify a user, a pipeline or a stage in a cell. */
const settingFields: Readonly<Record<string, readonly string[]>> = {
  user: ["email", "name"],
  pipeline: ["name"],
  stage: ["name"],
};

/** Returns the fields that identify a record of any kind in a cell, in addition to its ID. */
export function lookupFieldsOf(kind: string): readonly string[] {
  return settingFields[kind] ?? (definitions as Readonly<Record<string, EntityDefinition>>)[kind]?.lookupFields ?? [];
}

/** Returns the field whose value only one record of the kind can have. */
export function uniqueFieldOf(entity: Entity): string | undefined {
  return (definitions[entity] as EntityDefinition).uniqueField;
}

function mapEntities<T>(map: (definition: EntityDefinition) => T): Readonly<Record<Entity, T>> {
  return Object.fromEntries(entities.map((entity) => [entity, map(definitions[entity])])) as Record<Entity, T>;
}
