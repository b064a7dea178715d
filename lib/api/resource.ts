import * as v from "valibot";
import type { ErrorCode } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import { camelCase, capitalize } from "../model/names.ts";
import { jsonSchema } from "../model/scalars.ts";
import { archivableSchema } from "../model/schemas.ts";
import { batchEndpoint } from "./batch.ts";
import type { Endpoint, Tag } from "./endpoint.ts";
import { countParameter } from "./list-endpoint.ts";
import { type RecordErrors, records } from "./records.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { matchFields, upsertEndpoint } from "./upsert.ts";

/**
 * Returns the standard endpoints of a resource of integrations: list, create, get, update, archive, restore, upsert and
 * batch.
 */
export function resource<Related>(definition: ResourceDefinition<Related>): readonly Endpoint[] {
  const { model } = definition;
  const { kind, plural } = model;
  const name = capitalize(kind);
  const singleEndpoints = records(definition, {
    path: `/${plural}`,
    tag: { name: capitalize(camelCase(plural)), description: model.descriptions?.about ?? "" },
    data: archivableSchema(model),
    errors: errorsOf(definition),
    access: (permission) => ({ scope: `${plural}:${permission}` as Scope }),
    nameOf: (operation) => operation,
    canWait: true,
    parameters: { count: countParameter },
  });
  const target = (operation: string) => singleEndpoints.find((each) => each.name === `${operation}${name}`) as Endpoint;
  const targets = { create: target("create"), update: target("update"), archive: target("archive") };
  const upserts = matchFields(model).length === 0 ? [] : [upsertEndpoint(model, targets)];
  const [upsert] = upserts;
  return [
    ...singleEndpoints,
    ...upserts,
    batchEndpoint(model, upsert === undefined ? targets : { ...targets, upsert }),
  ];
}

/**
 * Returns the standard endpoints of a resource of the set-up API, which are for admins and below `/admin`: list,
 * create, get, update, archive and restore.
 * @param errors replace those that follow from the model. A restore also has those of an update
 */
export function setUpResource<Related>(
  definition: ResourceDefinition<Related>,
  tag: Tag,
  errors: RecordErrors,
): readonly Endpoint[] {
  const { model } = definition;
  return records(definition, {
    path: `/admin/${model.plural.replaceAll("_", "-")}`,
    tag,
    // The public endpoints describe some of these kinds with other members.
    data: v.pipe(archivableSchema(model), jsonSchema({ title: `Admin${capitalize(model.kind)}` })),
    errors: { ...errors, restore: [...new Set([...errors.update, ...errors.restore])] },
    access: () => ({ access: "admin" }),
    nameOf: (operation) => `admin${capitalize(operation)}`,
  });
}

/** Returns the error codes that follow from the model and the definition. */
function errorsOf<Related>({ model, createErrors = [] }: ResourceDefinition<Related>): RecordErrors {
  const fields = Object.entries(model.fields);
  const duplicate: ErrorCode[] = fields.some(([, { unique }]) => unique !== undefined) ? ["duplicate"] : [];
  const owner: ErrorCode[] = model.fields.ownerId === undefined ? [] : ["tenant_without_admin"];
  const custom: ErrorCode[] = ["unknown_custom_field", "invalid_custom_field"];
  const rules: ErrorCode[] = ["validation_error", "invalid_reference", ...(model.fields.customFields ? custom : [])];
  return {
    create: [...createErrors, ...duplicate, ...owner, ...rules],
    update: ["conflict" as const, ...duplicate, ...rules],
    archive: [],
    restore: ["conflict" as const, ...duplicate, ...rules],
  };
}
