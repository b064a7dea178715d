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

/** Names of the query types of the client, by path. */
const queryTypes: Readonly<Record<string, string>> = {
  "/accounts": "AccountQuery",
  "/contacts": "ContactQuery",
  "/opportunities": "OpportunityQuery",
  "/tasks": "TaskQuery",
  "/users": "UserQuery",
};

/** Returns the source of lib/client/types.ts, generated from docs/openapi.json. */
export function clientTypes(): string {
  const { components, paths } = JSON.parse(readFileSync(openApiFile, "utf8"));
  const schemas = Object.entries(components.schemas as Record<string, Schema>);
  const types = schemas.map(([name, schema]) => declaration(name === "Error" ? "ErrorBody" : name, schema));
  const queries = Object.entries(queryTypes).map(([path, name]) => {
    const declared = paths[path].get.parameters as (Parameter & { $ref?: string })[];
    const parameters = declared
      .map((parameter): Parameter => components.parameters[parameter.$ref?.split("/").at(-1) ?? ""] ?? parameter)
      .filter((parameter) => parameter.in === "query" && !["cursor", "tenantId"].includes(parameter.name));
    const properties = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema]));
    return declaration(name, { type: "object", description: `Query parameters of GET ${path}.`, properties });
  });
  const head = "// Generated from docs/openapi.json by `npm run client-types`.";
  return `${[head, ...types, ...queries].join("\n\n")}\n`;
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? "" : `/** ${firstSentence(schema.description)} */\n`;
  return `${comment}export type ${name} = ${typeOf(schema)};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
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

function arrayType(item: string): string {
  return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown";
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
