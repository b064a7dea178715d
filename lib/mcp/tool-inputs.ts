import * as v from "valibot";
import { anyObject, matchFields } from "../api/upsert.ts";
import { type Entity, entityModels } from "../model/entities.ts";
import { describe, jsonSchema, listOf, refine, uuid } from "../model/scalars.ts";

/** Maximum number of IDs of a call. */
export const maxIds = 20;
const maxOperations = 50;

/** IDs of records. */
export const ids = v.pipe(
  listOf(uuid, maxIds, "must be a list"),
  jsonSchema({ minItems: 1 }),
  refine<string[]>("out_of_range", ({ length }) => length > 0, "must have at least one entry"),
);

/** Parameters of lists that are inputs of list_records. As filters, they would evade its limit. */
const ownInputs = ["limit", "cursor", "updatedSince"];
/** Filters of a list. */
export const filterSchema = v.pipe(
  v.record(v.string(), v.union([v.string(), v.number(), v.boolean()], "must be a string, a number, true or false")),
  refine<Record<string, string | number | boolean>>(
    "unknown_key",
    (filter) => !ownInputs.some((name) => Object.hasOwn(filter, name)),
    `must not contain ${ownInputs.join(", ")}, which are inputs of their own`,
  ),
);

/** The idempotency key of a change. */
export const idempotencyKey = v.pipe(
  v.string("must be a string"),
  jsonSchema({
    description:
      "A new UUID for each change. A call with the same key and operations returns the first result and writes nothing.",
  }),
  refine("invalid_format", (key) => /^[ -~]{1,255}$/.test(key), "must have 1 to 255 printable ASCII characters"),
);

/** Returns the schema of the operations of a change. `data` is validated by the API. */
export function operationsSchema(writable: readonly Entity[]) {
  const fields = [...new Set(writable.flatMap((entity) => matchFields(entityModels[entity])))];
  const byEntity = writable.flatMap((entity) => {
    const names = matchFields(entityModels[entity]);
    return names.length === 0 ? [] : [`${entity}: ${names.join(", ")}`];
  });
  const upserts = fields.length > 0;
  const entries: Readonly<Record<string, v.GenericSchema>> = {
    op: v.picklist(["create", "update", ...(upserts ? ["upsert"] : [])]),
    id: v.optional(describe(uuid, "ID of the record to update.")),
    ...(upserts && {
      matchBy: v.optional(describe(v.picklist(fields), `Finds the record of an upsert. ${byEntity.join("; ")}.`)),
    }),
    data: describe(anyObject, "Fields as in describe_crm. `null` clears a field."),
  };
  return v.pipe(
    listOf(v.strictObject(entries), maxOperations, "must be a list"),
    jsonSchema({ minItems: 1 }),
    refine<Record<string, unknown>[]>("out_of_range", ({ length }) => length > 0, "must have at least one entry"),
  );
}

/** Returns the schema of the kind of a record. */
export function oneOf(entities: readonly Entity[]) {
  return v.picklist(entities);
}
