import { type ConversionConfig, type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

/** Whether a value comes in or goes out: what comes in may leave out more, and be written in more ways. */
export type Direction = "request" | "response";

/**
 * A schema of ours as JSON Schema. What its checks do is said beside them (`jsonSchema`), so checks and transforms
 * themselves are passed over. In the direction "response", an object has every member that is given a default.
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
      if (valibotSchema.type === "nullable") return orNull(jsonSchema);
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

/** Null as one more type, where that says the same; what has a title of its own stays whole. */
function orNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const inner = anyOf?.[0];
  if (typeof inner !== "object" || typeof inner.type !== "string" || inner.title !== undefined) return schema;
  const options = inner.enum === undefined ? {} : { enum: [...inner.enum, null] };
  return { ...inner, ...options, ...rest, type: [inner.type, "null"] };
}
