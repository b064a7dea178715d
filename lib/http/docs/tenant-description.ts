import { createHash } from "node:crypto";
import { type Endpoint, endpoint } from "../../api/endpoint.ts";
import { bodySchema, customFieldsSchema, sampleValue } from "../../api/rules/body-schema.ts";
import type { CustomField } from "../../model/custom-field.ts";
import { entityKinds, entityModels } from "../../model/entities.ts";
import type { JsonSchema } from "../../model/json-schema.ts";
import type { Kind } from "../../model/kinds.ts";
import type { FieldValues, Model } from "../../model/model.ts";
import { RawJson } from "../../model/record-json.ts";
import type { Rule } from "../../model/tenant.ts";
import { readAsset } from "./assets.ts";

type Description = {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: { "application/json": { example: unknown } } } }>
  >;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
};

/** Returns the OpenAPI 3.1 description as JSON. */
export function openApiJson(): string {
  return JSON.stringify(readDescription());
}

function readDescription(): Description {
  return JSON.parse(new TextDecoder().decode(readAsset("openapi.json")));
}

/** The description with the custom fields and the required fields of the caller's tenant. It isn't part of the description. */
export const tenantDescription: Endpoint = endpoint({
  name: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  summary: "Retrieve the description for the tenant",
  description: "Returns the OpenAPI description with the custom fields of the tenant.",
  tag: { name: "Description", description: "" },
  success: { status: 200 },
  hasETag: true,
  async handle({ caller: { tenantId } }, { storage }) {
    const description = readDescription();
    for (const kind of entityKinds) {
      const where = { entity: kind };
      const [catalog, rules] = await Promise.all([
        storage.list(tenantId, "customField", { where }),
        storage.list(tenantId, "rule", { where }),
      ]);
      describeEntity(description, entityModels[kind], catalog, rules);
    }
    const json = JSON.stringify(description);
    const hash = createHash("sha256").update(json).digest("base64url").slice(0, 22);
    return { status: 200, body: new RawJson(json), headers: { ETag: `"${hash}"` } };
  },
});

/** Describes the custom fields and required fields of an entity in its schemas and examples. */
function describeEntity(
  { paths, components: { schemas } }: Description,
  model: Model<Kind>,
  catalog: readonly CustomField[],
  rules: readonly Rule[],
): void {
  const name = model.kind.charAt(0).toUpperCase() + model.kind.slice(1);
  const create = bodySchema(model, catalog, rules, { action: "create" });
  schemas[`${name}Create`] = { ...schemas[`${name}Create`], required: create.required ?? [] };
  if (model.fields.customFields === undefined) return;
  const requested = customFieldsSchema(catalog);
  const returned = { ...requested, description: "Custom field values by key.", additionalProperties: true };
  const variants = {
    "": returned,
    Create: create.properties?.customFields as JsonSchema,
    Update: requested,
    Upsert: requested,
    UpsertInput: requested,
  };
  for (const [variant, customFields] of Object.entries(variants)) {
    const schema = schemas[name + variant];
    if (schema !== undefined)
      schemas[name + variant] = { ...schema, properties: { ...schema.properties, customFields } };
  }
  for (const [path, operations] of Object.entries(paths)) {
    if (path.split("/")[1] !== model.plural) continue;
    for (const { requestBody } of Object.values(operations)) {
      const content = requestBody?.content["application/json"];
      if (content !== undefined) content.example = exampleFor(catalog, content.example as FieldValues, path);
    }
  }
}

/** Returns the example of a body with the custom fields of the tenant: those that a new record needs, and no unknown ones. */
function exampleFor(catalog: readonly CustomField[], example: FieldValues, path: string): FieldValues {
  if (Array.isArray(example.operations)) {
    const operations = example.operations.map((operation: FieldValues & { readonly data?: FieldValues }) => {
      if (operation.data === undefined) return operation;
      return { ...operation, data: exampleFor(catalog, operation.data, operation.op === "update" ? "{id}" : "") };
    });
    return { ...example, operations };
  }
  const known = Object.entries((example.customFields ?? {}) as FieldValues).filter(([key]) =>
    catalog.some((field) => field.key === key),
  );
  const needed = path.includes("{id}") ? [] : catalog.filter(({ required }) => required);
  const values = {
    ...Object.fromEntries(needed.map((field) => [field.key, sampleValue(field)])),
    ...Object.fromEntries(known),
  };
  const { customFields: _, ...rest } = example;
  return Object.keys(values).length === 0 ? rest : { ...rest, customFields: values };
}
