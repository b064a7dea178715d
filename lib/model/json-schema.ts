import { type ConversionConfig, type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

export type { JsonSchema };

/** Whether a schema describes request or response values. Requests may omit members that have a default. */
export type Direction = "request" | "response";

/**
 * Converts a valibot schema to JSON Schema. Takes the meaning of checks and transforms from their `jsonSchema`
 * metadata. In responses, members with a default are required.
 */
export function jsonSchemaOf(
  schema: v.GenericSchema,
  direction: Direction,
  target: NonNullable<ConversionConfig["target"]> = "draft-2020-12",
): JsonSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target,
    typeMode: "output",
    errorMode: "ignore",
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === "nullable")
        return nullableSchema("acceptsEmpty" in valibotSchema ? acceptingEmpty(jsonSchema) : jsonSchema);
      if (valibotSchema.type !== "strict_object") return undefined;
      return withRequired(valibotSchema as unknown as StrictObject, jsonSchema, direction);
    },
  });
  return JSON.parse(JSON.stringify(converted));
}

type Entry = v.GenericSchema & { readonly default?: unknown };
type StrictObject = { readonly entries: Readonly<Record<string, Entry>> };

function withRequired({ entries }: StrictObject, schema: JsonSchema, direction: Direction): JsonSchema {
  const isRequired = ([, { type, default: value }]: [string, Entry]): boolean =>
    type !== "optional" || (direction === "response" && value !== undefined);
  const required = Object.entries(entries)
    .filter(isRequired)
    .map(([name]) => name);
  const { required: _, ...rest } = schema;
  return required.length === 0 ? rest : { ...rest, required };
}

/** Lets the empty text, which means null, fit the first of `anyOf: [schema, null]`. */
function acceptingEmpty({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const [{ minLength: _, pattern = "", ...inner } = {}, none = {}] = (anyOf ?? []) as JsonSchema[];
  const accepting = new RegExp(pattern, "u").test("") ? pattern : `^$|${pattern}`;
  return { ...rest, anyOf: [{ ...inner, ...(pattern === "" ? {} : { pattern: accepting }) }, none] };
}

/** Shortens `anyOf: [schema, null]` to a list of types. Keeps schemas with a title, which become components. */
function nullableSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const inner = anyOf?.[0];
  if (typeof inner !== "object" || typeof inner.type !== "string" || inner.title !== undefined) return schema;
  const values = inner.enum === undefined ? {} : { enum: [...inner.enum, null] };
  return { ...inner, ...values, ...rest, type: [inner.type, "null"] };
}
