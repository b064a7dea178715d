import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { type Direction, jsonSchemaOf } from "./json-schema.ts";

type Schemas = Record<string, JsonSchema>;

/** How date-times go out: one way of the many in which they may come in. */
const instantPattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$";

/** The schemas that have names of their own, and what stands in their place where they are used. */
export class Components {
  readonly schemas: Schemas = {};

  /** The schema in this direction; the parts of it that have a title become components, and references to them. */
  of(schema: v.GenericSchema, direction: Direction, members: Schemas = {}): JsonSchema {
    const { properties, ...converted } = jsonSchemaOf(schema, direction);
    const all = properties && { properties: { ...properties, ...members, ...properties } };
    return this.#settled({ ...converted, ...all }, direction);
  }

  #settled(schema: JsonSchema, direction: Direction): JsonSchema {
    const { title, properties, items, anyOf, ...own } = directed(schema, direction);
    const settled: JsonSchema = { ...own };
    if (properties !== undefined) {
      const kept = Object.entries(properties as Schemas).filter(([, each]) => each.not === undefined);
      settled.properties = Object.fromEntries(
        kept.map(([name, each]) => [name, inWords(this.#settled(each, direction))]),
      );
    }
    if (items !== undefined) settled.items = this.#settled(items as JsonSchema, direction);
    if (anyOf !== undefined) settled.anyOf = anyOf.map((each) => this.#settled(each as JsonSchema, direction));
    return title === undefined ? settled : this.#named(title, settled, direction);
  }

  /** What comes in under a name that goes out in another form is called `…Input`. */
  #named(title: string, { default: value, ...schema }: JsonSchema, direction: Direction): JsonSchema {
    const known = (name: string): boolean => name in this.schemas;
    const same = (name: string): boolean => isDeepStrictEqual(this.schemas[name], schema);
    const name = direction === "request" && known(title) && !same(title) ? `${title}Input` : title;
    if (known(name) && !same(name)) throw new TypeError(`Two schemas are called ${name}.`);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}`, ...(value === undefined ? {} : { default: value }) };
  }
}

/** A member's default as a sentence: generators of types take a member that has one for a member that must be sent. */
function inWords({ default: value, ...schema }: JsonSchema): JsonSchema {
  if (value === undefined || typeof value === "object") return schema;
  return { ...schema, description: `${schema.description} Left out, it is ${value}.` };
}

/** What goes out has one form: no defaults, nothing read-only to be told apart, times in UTC, no value that is null. */
function directed(schema: JsonSchema, direction: Direction): JsonSchema {
  if (direction === "request") return schema;
  const { default: _, readOnly: _r, additionalProperties: values, ...rest } = schema;
  if (rest.format === "date-time") rest.pattern = instantPattern;
  if (typeof values !== "object") return values === undefined ? rest : { ...rest, additionalProperties: values };
  const anyOf = values.anyOf?.filter((each) => (each as JsonSchema).type !== "null");
  return { ...rest, additionalProperties: anyOf === undefined ? values : { ...values, anyOf } };
}
