import { readFileSync, writeFileSync } from "node:fs";
import {
  composedType,
  enumNames,
  envelopeName,
  firstSentence,
  indent,
  literals,
  type NamedTypes,
  objectType,
  type Property,
  propertiesOf,
  type Schema,
  typeOf,
} from "./type-text.ts";
import { openApiFile } from "./write.ts";

type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema };

/** Types that replace the envelopes of the description, and its values of custom fields, which it leaves open. */
const sharedTypes = `/** Response body with one record. */
export type Envelope<T> = { readonly data: T };

/** Response body with a page of records. \`nextCursor\` is the \`cursor\` of the next page, null on the last one. */
export type PageBody<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Value of a custom field. Null clears it. */
export type CustomFieldValue = string | number | readonly string[] | CurrencyValue | null;

/** Value of a currency field. The amount is in major units (euros, not cents). */
export type CurrencyValue = { readonly amount: number; readonly currency: string };

export type IdParams = { readonly id: string };

export type TenantIdBody = { readonly tenantId?: string };

export type WithCursor<Query> = Query & { readonly cursor?: string };`;

export const clientTypesFile = new URL("../../lib/client/types.ts", import.meta.url);

type Content = { readonly content?: { readonly "application/json": { readonly schema: Schema } } };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};

/** Returns the source of lib/client/types.ts, generated from docs/openapi.json. */
export function clientTypes(): string {
  const { components, paths } = JSON.parse(readFileSync(openApiFile, "utf8"));
  const parametersOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
    parameters
      .map((parameter) => components.parameters[parameter.$ref?.split("/").at(-1) ?? ""] ?? parameter)
      .filter(({ name }) => name !== "tenantId");
  const described = Object.entries(components.schemas as Record<string, Schema>);
  const schemas: Record<string, Schema> = {
    BaseRecord: baseRecord(components.schemas.User),
    ...Object.fromEntries(described.filter(([name]) => !envelopeName.test(name))),
    ...listQueries(paths, parametersOf),
  };
  const objects = Object.entries(schemas).filter(([, { properties }]) => properties !== undefined);
  const named = new Map(objects.map(([name, schema]) => [name, propertiesOf(schema)]));
  const types = Object.entries(schemas).map(([name, schema]) => declaration(name, schema, named));
  const operations = Object.values(paths as Paths).flatMap((methods) =>
    Object.values(methods)
      .filter(({ operationId }) => operationId !== undefined)
      .map((each) => `  readonly ${each.operationId}: ${operationType(each, parametersOf(each))};`),
  );
  const operationTypes = `/** Input and response body of each operation. */\nexport type Operations = {\n${operations.join("\n")}\n};`;
  const head = "// Generated from docs/openapi.json by `npm run client-types`.";
  const parts = [...enumDeclarations(components), ...types, sharedTypes, collectionTypes(collectionNames(paths))];
  return `${[head, ...parts, operationTypes].join("\n\n")}\n`;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Returns the fields that every record has. */
function baseRecord({ properties = {} }: Schema): Schema {
  const names = ["id", "createdAt", "updatedAt"];
  const fields = Object.fromEntries(names.map((name) => [name, properties[name] ?? {}]));
  return { type: "object", description: "Fields of every record.", properties: fields, required: names };
}

/** Returns the types of the filters of lists, and `ListQuery` with those that all lists with pages have. */
function listQueries(paths: Paths, parametersOf: (operation: Operation) => readonly Parameter[]) {
  const queries: Record<string, Schema> = {};
  for (const [path, { get }] of Object.entries(paths)) {
    const query = get === undefined ? [] : parametersOf(get).filter((each) => each.in === "query");
    const filters = query.filter(({ name }) => name !== "cursor").map(({ name, schema }) => [name, schema] as const);
    if (filters.length === 0 || query.some(({ required }) => required)) continue;
    const properties = Object.fromEntries(filters);
    if (path.endsWith("}")) {
      queries.RecordQuery ??= { type: "object", description: "Query parameters of each record.", properties };
      continue;
    }
    const common = Object.fromEntries(filters.slice(0, 3));
    if ("limit" in common)
      queries.ListQuery ??= { type: "object", description: "Query parameters of each list.", properties: common };
    queries[queryName(get)] ??= { type: "object", description: `Query parameters of GET ${path}.`, properties };
  }
  return queries;
}

/** Returns the type of the query of a list. All histories share one. */
function queryName(operation?: Operation): string {
  const { operationId = "" } = operation ?? {};
  if (operationId.endsWith("History")) return "HistoryQuery";
  const item = itemOf(operation);
  return operationId.startsWith("admin") && !item.startsWith("Admin") ? `Admin${item}Query` : `${item}Query`;
}

function successBody(operation?: Operation): Schema | undefined {
  const success = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
  return success?.content?.["application/json"].schema;
}

/** Returns the type of the records in the response of an operation. */
function itemOf(operation?: Operation): string {
  return envelopeName.exec(successBody(operation)?.$ref?.split("/").at(-1) ?? "")?.[1] ?? "";
}

/** Returns the paths of records that an API key can list, create and change, by record type. */
function collectionNames(paths: Paths): [string, string][] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => {
    const page = get?.responses["200"]?.content?.["application/json"].schema;
    const [, record] = /(\w+)Page$/.exec(page?.$ref ?? "") ?? [];
    // The client uses API keys, which the set-up API rejects.
    return record === undefined || post === undefined || path.startsWith("/admin/")
      ? []
      : [[path.slice(1), record] as [string, string]];
  });
}

function collectionTypes(collections: readonly [string, string][]): string {
  const members = collections.map(([name, record]) => {
    const types = `create: ${record}Create; update: ${record}Update; query: ${record}Query`;
    return `  ${name}: { record: ${record}; ${types} };`;
  });
  const names = collections.map(([name]) => JSON.stringify(name)).join(", ");
  return [
    `/** Types of the records that can be listed, created and changed, by path. */\nexport type Collections = {`,
    ...members,
    "};",
    "",
    `export const collectionNames = [${names}] as const;`,
  ].join("\n");
}

function operationType(operation: Operation, parameters: readonly Parameter[]): string {
  const members: Property[] = [];
  const add = (name: string, type: string, optional = false) => members.push({ name, type, optional, comment: "" });
  const query = parameters.filter((each) => each.in === "query");
  const [pathParameter] = parameters.filter((each) => each.in === "path");
  if (pathParameter !== undefined)
    add("params", pathParameter.name === "id" ? "IdParams" : `{ readonly ${pathParameter.name}: string }`);
  const body = operation.requestBody?.content?.["application/json"].schema;
  const result = successBody(operation);
  if (query.some(({ required }) => required)) {
    const properties = query.map(({ name, schema, required = false }) => {
      return { name, type: typeOf(schema), optional: !required, comment: "" };
    });
    add("query", objectType(properties));
  } else if (query.some(({ name }) => name === "cursor")) add("query", `WithCursor<${queryName(operation)}>`, true);
  else if (query.length > 0)
    add("query", query.every(({ name }) => name === "includeArchived") ? "RecordQuery" : queryName(operation), true);
  if (body !== undefined) add("body", bodyType(body), !operation.requestBody?.required);
  add("result", result === undefined ? "null" : typeOf(result));
  return indent(objectType(members, `  readonly ${operation.operationId}: ;`.length));
}

function bodyType(body: Schema): string {
  const properties = propertiesOf(body).map((property) => ({ ...property, comment: "" }));
  if (properties.length === 1 && properties[0]?.name === "tenantId") return "TenantIdBody";
  return properties.length === 0 ? typeOf(body) : objectType(properties);
}

function declaration(name: string, schema: Schema, named: NamedTypes): string {
  const comment = schema.description === undefined ? "" : `/** ${firstSentence(schema.description)} */\n`;
  const properties = named.get(name);
  const type = properties === undefined ? typeOf(schema) : composedType(name, properties, named);
  return `${comment}export type ${typeName(name)} =${type.startsWith("\n") ? "" : " "}${type};`;
}

function typeName(schemaName: string): string {
  return schemaName === "Error" ? "ErrorBody" : schemaName;
}

/** Returns the declarations of `enumNames`. */
function enumDeclarations(components: unknown): string[] {
  const found = new Map<string, readonly unknown[]>();
  JSON.stringify(components, (_, value) => {
    const name = Array.isArray(value?.enum) && value.enum.length > 1 ? enumNames[value.enum[0]] : undefined;
    // Some parameters take only a part of the values.
    if (name !== undefined && value.enum.length > (found.get(name)?.length ?? 0)) found.set(name, value.enum);
    return value;
  });
  return [...found].map(([name, values]) => `export type ${name} =${literals(values)};`);
}

if (import.meta.main) writeFileSync(clientTypesFile, clientTypes());
