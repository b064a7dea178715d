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

/** A property of an object type. */
type Property = { readonly name: string; readonly type: string; readonly optional: boolean; readonly comment: string };

/** Properties of the named object types, by name. */
type NamedTypes = ReadonlyMap<string, readonly Property[]>;

const maxLineLength = 120;

/** Names of the lists of values that more than one type uses, or that don't fit on a line, by their first value. */
const enumNames: Readonly<Record<string, string>> = {
  account: "EntityType",
  open: "OpportunityStatus",
  pending: "TaskStatus",
  low: "TaskPriority",
  "accounts:read": "Scope",
  bad_request: "ErrorCode",
  required: "FieldErrorCode",
};

/** Types that the generated ones share. */
const sharedTypes = `/** A response with one object, or with a list that has no pages. */
export type DataOf<T> = { readonly data: T };

/** A response with one page of a list. */
export type PageOf<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

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
  const schemas: Record<string, Schema> = {
    BaseRecord: baseRecord(components.schemas.User),
    ...components.schemas,
    ...listQueries(paths, parametersOf),
  };
  const objects = Object.entries(schemas).filter(([, { properties }]) => properties !== undefined);
  const named = new Map(objects.map(([name, schema]) => [name, propertiesOf(schema)]));
  const types = Object.entries(schemas).map(([name, schema]) => declaration(name, schema, named));
  const operations = Object.values(paths as Paths)
    .flatMap((methods) => Object.values(methods).filter(({ operationId }) => operationId !== undefined))
    .map((operation) => `  readonly ${operation.operationId}: ${operationType(operation, parametersOf(operation))};`);
  const operationTypes = `/** Input and response body of each operation. */\nexport type Operations = {\n${operations.join("\n")}\n};`;
  const head = "// Generated from docs/openapi.json by `npm run client-types`.";
  return `${[head, ...enumDeclarations(components), ...types, sharedTypes, operationTypes].join("\n\n")}\n`;
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
    const common = Object.fromEntries(filters.slice(0, 3));
    if ("limit" in common)
      queries.ListQuery ??= { type: "object", description: "Query parameters of each list.", properties: common };
    const item = successBody(get)?.properties?.data?.items ?? {};
    queries[`${typeOf(item)}Query`] = { type: "object", description: `Query parameters of GET ${path}.`, properties };
  }
  return queries;
}

function successBody(operation?: Operation): Schema | undefined {
  const success = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
  return success?.content?.["application/json"].schema;
}

function operationType(operation: Operation, parameters: readonly Parameter[]): string {
  const members: Property[] = [];
  const add = (name: string, type: string, optional = false) => members.push({ name, type, optional, comment: "" });
  const query = parameters.filter((each) => each.in === "query");
  if (parameters.some((each) => each.in === "path")) add("params", "IdParams");
  const body = operation.requestBody?.content?.["application/json"].schema;
  const result = successBody(operation);
  const data = result?.properties?.data ?? {};
  const item = typeOf(data.items ?? data);
  if (query.some(({ required }) => required)) {
    const properties = query.map(({ name, schema }) => ({ name, type: typeOf(schema), optional: false, comment: "" }));
    add("query", objectType(properties));
  } else if (query.some(({ name }) => name === "cursor")) add("query", `WithCursor<${item}Query>`, true);
  else if (query.length > 0) add("query", `${item}Query`, true);
  if (body !== undefined) add("body", bodyType(body), !operation.requestBody?.required);
  const isPage = result?.properties?.nextCursor !== undefined;
  add("result", result === undefined ? "null" : isPage ? `PageOf<${item}>` : `DataOf<${typeOf(data)}>`);
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

/** Returns an object type as an intersection with other named types, so that no property is repeated. */
function composedType(name: string, properties: readonly Property[], named: NamedTypes): string {
  const parts: string[] = [];
  let rest = properties;
  const includes = (base: readonly Property[], asPartial: boolean) =>
    base.every((each) => rest.some((own) => isSame(own, each) && own.optional === (asPartial || each.optional)));
  const bases = [...named].filter(([base, { length }]) => base !== name && length >= 3);
  for (const [base, members] of bases.sort(([, one], [, other]) => other.length - one.length)) {
    if (members.length === properties.length && !name.startsWith(base)) continue;
    const isWhole = includes(members, false);
    if (!isWhole && !includes(members, true)) continue;
    parts.push(isWhole ? base : `Partial<${base}>`);
    rest = rest.filter((own) => !members.some((each) => each.name === own.name));
  }
  const origin = name.replace(/^Active|Create$/, "");
  const original = origin === name ? [] : (named.get(origin) ?? []);
  const taken = rest.filter((own) => original.some((each) => isSame(own, each)));
  const required = taken.filter(({ optional }) => !optional);
  const optional = taken.filter((each) => each.optional);
  if (required.length > 0) parts.push(pick(origin, required));
  if (optional.length > 0) parts.push(`Partial<${pick(origin, optional)}>`);
  rest = rest.filter((own) => !taken.includes(own));
  const own = rest.length === 0 ? "" : objectType(rest, maxLineLength / 3);
  const line = parts.join(" & ");
  const origins = line.includes("\n") || line.length > maxLineLength / 2 ? `\n  ${parts.join(" &\n  ")}` : line;
  return origins === "" || own === "" ? origins + own : `${origins} & ${own}`;
}

function isSame(one: Property, other: Property): boolean {
  return one.name === other.name && one.type === other.type && one.comment === other.comment;
}

function pick(name: string, properties: readonly Property[]): string {
  return `Pick<${name},${literals(properties.map((property) => property.name))}>`;
}

/** Returns the declarations of `enumNames`. */
function enumDeclarations(components: unknown): string[] {
  const found = new Map<string, readonly unknown[]>();
  JSON.stringify(components, (_, value) => {
    const name = Array.isArray(value?.enum) && value.enum.length > 1 ? enumNames[value.enum[0]] : undefined;
    if (name !== undefined) found.set(name, value.enum);
    return value;
  });
  return [...found].map(([name, values]) => `export type ${name} =${literals(values)};`);
}

/** Returns a union of literal types after a space, or on lines of its own if it is long. */
function literals(values: readonly unknown[]): string {
  const lines = [""];
  for (const value of values) {
    const type = `| ${JSON.stringify(value)}`;
    const line = `${lines.at(-1)} ${type}`.trim();
    if (line.length <= maxLineLength - 10) lines[lines.length - 1] = line;
    else lines.push(type);
  }
  return lines.length === 1 ? (lines[0] ?? "").slice(1) : `\n  ${lines.join("\n  ")}`;
}

function typeName(schemaName: string): string {
  return schemaName === "Error" ? "ErrorBody" : schemaName;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.enum !== undefined) {
    const name = schema.enum.length > 1 ? enumNames[String(schema.enum[0])] : undefined;
    return name ?? literals(schema.enum).trim();
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "array":
      return arrayType(typeOf(schema.items ?? {}));
    case "object":
      return schema.properties === undefined ? recordType(schema) : objectType(propertiesOf(schema));
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

function arrayType(item: string): string {
  return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function recordType({ additionalProperties }: Schema): string {
  const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown";
  return `Readonly<Record<string, ${value}>>`;
}

function propertiesOf({ properties = {}, required = [] }: Schema): Property[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    optional: !required.includes(name),
    comment: schema.description === undefined ? "" : firstSentence(schema.description),
  }));
}

/** Returns an object type on one line if it fits next to `usedLength` characters, without comments. */
function objectType(properties: readonly Property[], usedLength = 0): string {
  const members = properties.map(({ name, type, optional }) => `readonly ${name}${optional ? "?" : ""}: ${type}`);
  const line = `{ ${members.join("; ")} }`;
  if (properties.every(({ comment }) => comment === "") && line.length + usedLength <= maxLineLength) return line;
  const lines = properties.map(({ comment }, index) => {
    const line = `  ${indent(members[index] ?? "")};`;
    return comment === "" ? line : `  /** ${comment} */\n${line}`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

function indent(type: string): string {
  return type.replaceAll("\n", "\n  ");
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0]?.replaceAll("*/", "* /") ?? "";
}

if (import.meta.main) writeFileSync(clientTypesFile, clientTypes());
