import { readFileSync, writeFileSync } from "node:fs";
import { openApiFile } from "./write.ts";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
};

type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema };

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
  const schemas = Object.entries(components.schemas as Record<string, Schema>);
  const types = schemas
    .filter(([name]) => !envelopeName.test(name))
    .map(([name, schema]) => declaration(name === "Error" ? "ErrorBody" : name, schema));
  types.push(sharedTypes);
  const parametersOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
    parameters.map((parameter) => components.parameters[parameter.$ref?.split("/").at(-1) ?? ""] ?? parameter);
  const gets = Object.entries(paths as Record<string, { readonly get?: Operation }>);
  const lists = gets.flatMap(([path, { get }]) => {
    const query = (get ? parametersOf(get) : []).filter((each) => each.in === "query" && each.name !== "tenantId");
    const optional = query.filter(({ name }) => name !== "cursor");
    if (optional.length === 0 || query.some(({ required }) => required)) return [];
    const properties = Object.fromEntries(optional.map((each) => [each.name, each.schema]));
    const response = get?.responses["200"]?.content?.["application/json"].schema.$ref?.split("/").at(-1) ?? "";
    const item = components.schemas[response]?.properties?.data?.items ?? {};
    return declaration(`${typeOf(item)}Query`, {
      type: "object",
      description: `Query parameters of GET ${path}.`,
      properties,
    });
  });
  const operations = Object.values(paths as Record<string, Record<string, Operation>>)
    .flatMap((methods) => Object.values(methods).filter(({ operationId }) => operationId !== undefined))
    .map((operation) => operationType(operation, parametersOf(operation)));
  const operationTypes = `/** Input and response body of each operation. */\nexport type Operations = {\n${operations.join("\n")}\n};`;
  const head = "// Generated from docs/openapi.json by `npm run client-types`.";
  return `${[head, ...types, ...lists, collectionTypes(collectionNames(paths)), operationTypes].join("\n\n")}\n`;
}

/** Components that are the body of a response. */
const envelopeName = /^(\w+)(Envelope|List|Page)$/;

/** Types that replace the envelopes of the description, and its values of custom fields, which it leaves open. */
const sharedTypes = `/** Response body with one record. */
export type Envelope<T> = { readonly data: T };

/** Response body with a page of records. \`nextCursor\` is the \`cursor\` of the next page, null on the last one. */
export type PageBody<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Value of a custom field. Null clears it. */
export type CustomFieldValue = string | number | readonly string[] | CurrencyValue | null;

/** Value of a currency field. The amount is in major units (euros, not cents). */
export type CurrencyValue = { readonly amount: number; readonly currency: string };`;

/** Returns the paths of records that can be listed, created and changed, such as `/accounts`, by record type. */
function collectionNames(paths: Readonly<Record<string, Record<string, Operation>>>): [string, string][] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => {
    const page = get?.responses["200"]?.content?.["application/json"].schema;
    const [, record] = /(\w+)Page$/.exec(page?.$ref ?? "") ?? [];
    return record === undefined || post === undefined ? [] : [[path.slice(1), record] as [string, string]];
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
  const members = (["path", "query"] as const).flatMap((location) => {
    const found = parameters.filter((each) => each.in === location && each.name !== "tenantId");
    const properties = Object.fromEntries(found.map(({ name, schema }) => [name, schema]));
    const required = found.filter((each) => each.required).map(({ name }) => name);
    const type = onOneLine(objectType({ properties, required }));
    const name = location === "path" ? "params" : "query";
    return found.length === 0 ? [] : [`readonly ${name}${required.length > 0 ? "" : "?"}: ${type};`];
  });
  const { requestBody, responses } = operation;
  const body = requestBody?.content?.["application/json"].schema;
  if (body !== undefined) members.push(`readonly body${requestBody?.required ? "" : "?"}: ${onOneLine(typeOf(body))};`);
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const result = success?.content?.["application/json"].schema;
  members.push(`readonly result: ${result === undefined ? "null" : onOneLine(typeOf(result))};`);
  return `  readonly ${operation.operationId}: { ${members.join(" ")} };`;
}

function onOneLine(type: string): string {
  return type.replaceAll(/\n *\/\*\*.*\*\//g, "").replaceAll(/\n */g, " ");
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? "" : `/** ${firstSentence(schema.description)} */\n`;
  return `${comment}export type ${name} = ${typeOf(schema)};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return referenceType(schema.$ref.split("/").at(-1) ?? "");
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "array":
      return arrayType(typeOf(schema.items ?? {}));
    case "object":
      return objectType(schema);
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "unknown";
  }
}

function referenceType(component: string): string {
  const [, name, kind] = envelopeName.exec(component) ?? [];
  if (kind === "Envelope") return `Envelope<${name}>`;
  if (kind === "List") return `Envelope<readonly ${name}[]>`;
  return kind === "Page" ? `PageBody<${name}>` : component;
}

function arrayType(item: string): string {
  return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "CustomFieldValue";
    return `Readonly<Record<string, ${value}>>`;
  }
  const lines = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? "" : `  /** ${firstSentence(schema.description)} */\n`;
    return `${comment}  readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0]?.replaceAll("*/", "* /") ?? "";
}

if (import.meta.main) writeFileSync(clientTypesFile, clientTypes());
