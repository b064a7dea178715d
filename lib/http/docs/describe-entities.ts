import { bodySchema } from "../../api/rules/body-schema.ts";
import { mergeCustomFieldValues } from "../../api/rules/custom-field-values.ts";
import { customFieldsSchema, sampleValue, storedFieldsSchema } from "../../api/rules/custom-fields-schema.ts";
import type { CustomField } from "../../model/custom-field.ts";
import type { Entity } from "../../model/entities.ts";
import type { JsonSchema } from "../../model/json-schema.ts";
import type { FieldValues, Model } from "../../model/model.ts";
import { capitalize } from "../../model/names.ts";
import type { Rule } from "../../model/tenant.ts";
import type { Description, Operation } from "./description.ts";

/** An entity with the custom fields and the rules of a tenant. */
export type DescribedEntity = {
  readonly model: Model<Entity>;
  readonly catalog: readonly CustomField[];
  readonly rules: readonly Rule[];
};

/** Returns the description with the custom fields and required fields of these entities in its schemas and examples. */
export function describeEntities(description: Description, entities: readonly DescribedEntity[]): Description {
  const { paths, components } = description;
  const described = entities.map((entity) => schemasOf(entity, components.schemas));
  const schemas = Object.assign({}, components.schemas, ...described);
  const operations = Object.entries(paths).map(([path, methods]) => [path, describePath(path, methods, entities)]);
  return { ...description, paths: Object.fromEntries(operations), components: { ...components, schemas } };
}

/** Returns the schemas of an entity that depend on the tenant. */
function schemasOf({ model, catalog, rules }: DescribedEntity, schemas: Description["components"]["schemas"]) {
  const name = capitalize(model.kind);
  const create = bodySchema(model, catalog, rules, { action: "create" });
  const changed: Record<string, JsonSchema> = {
    [`${name}Create`]: { ...schemas[`${name}Create`], required: create.required ?? [] },
  };
  if (model.fields.customFields === undefined) return changed;
  const requested = customFieldsSchema(catalog);
  const variants = {
    "": storedFieldsSchema(catalog),
    Create: create.properties?.customFields as JsonSchema,
    Update: requested,
    Upsert: requested,
    UpsertInput: requested,
  };
  for (const [variant, customFields] of Object.entries(variants)) {
    const schema = changed[name + variant] ?? schemas[name + variant];
    if (schema !== undefined)
      changed[name + variant] = { ...schema, properties: { ...schema.properties, customFields } };
  }
  return changed;
}

type Operations = Description["paths"][string];

/** Returns the operations of a path with examples that fit the custom fields. */
function describePath(path: string, operations: Operations, entities: readonly DescribedEntity[]): Operations {
  const start = path.split("/")[1];
  const entity = entities.find(({ model }) => model.plural === start && model.fields.customFields !== undefined);
  if (start === "search") return mapExamples(operations, (example) => fitResults(example, entities));
  if (entity === undefined) return operations;
  return mapExamples(
    operations,
    (example) => fitValues(example, entity.catalog),
    (example) => exampleFor(entity.catalog, example as FieldValues, path),
  );
}

type Change = (example: unknown) => unknown;

/** Changes the examples of responses and, unless `ofRequest` is omitted, of requests. */
function mapExamples(operations: Operations, ofResponse: Change, ofRequest: Change = (example) => example): Operations {
  const mapBody = (body: NonNullable<Operation["requestBody"]>, change: Change) => {
    const media = body.content?.["application/json"];
    if (media?.example === undefined) return body;
    return { ...body, content: { ...body.content, "application/json": { ...media, example: change(media.example) } } };
  };
  const mapped = Object.entries(operations).map(([method, operation]) => {
    const { requestBody, responses = {} } = operation;
    const bodies = Object.entries(responses).map(([status, body]) => [status, mapBody(body, ofResponse)]);
    const request = requestBody === undefined ? {} : { requestBody: mapBody(requestBody, ofRequest) };
    return [method, { ...operation, ...request, responses: Object.fromEntries(bodies) }];
  });
  return Object.fromEntries(mapped);
}

/** Fits the records in the response of a search, each by the catalog of its kind. */
function fitResults(example: unknown, entities: readonly DescribedEntity[]): unknown {
  const { data } = example as { readonly data: readonly { readonly entity: string }[] };
  const catalogOf = (kind: string) => entities.find(({ model }) => model.kind === kind)?.catalog;
  return { data: data.map((result) => fitValues(result, catalogOf(result.entity))) };
}

/** Returns a value in which all `customFields` fit the catalog. Without a catalog, returns it unchanged. */
function fitValues(value: unknown, catalog: readonly CustomField[] | undefined): unknown {
  if (catalog === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => fitValues(each, catalog));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "customFields" ? knownValues(catalog, member as FieldValues) : fitValues(member, catalog),
  ]);
  return Object.fromEntries(members);
}

/** Returns the values of known custom fields. Replaces those that their field doesn't accept. */
function knownValues(catalog: readonly CustomField[], values: FieldValues): FieldValues {
  const known = catalog.filter(({ key }) => Object.hasOwn(values, key));
  return Object.fromEntries(
    known.map((field) => {
      const value = values[field.key];
      const { issues } = mergeCustomFieldValues([field], { [field.key]: value }, {});
      return [field.key, issues.length === 0 ? value : sampleValue(field)];
    }),
  );
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
  const needed = path.includes("{id}") ? [] : catalog.filter(({ required }) => required);
  const values = {
    ...Object.fromEntries(needed.map((field) => [field.key, sampleValue(field)])),
    ...knownValues(catalog, (example.customFields ?? {}) as FieldValues),
  };
  const { customFields: _, ...rest } = example;
  return Object.keys(values).length === 0 ? rest : { ...rest, customFields: values };
}
