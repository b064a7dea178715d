import { isDeepStrictEqual } from "node:util";
import type * as v from "valibot";
import { type Direction, type JsonSchema, jsonSchemaOf } from "../../lib/model/json-schema.ts";

type Schemas = Record<string, JsonSchema>;

/**
 * Pattern of date-times in responses: UTC with milliseconds. Requests accept more forms. It is an extension, because
 * generated clients convert date-times and can't match the result with a pattern.
 */
const dateTimePattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$";

/** Collects the schemas that have a title, as components of the description. */
export class Components {
  readonly schemas: Schemas = {};

  /**
   * Returns the JSON Schema for requests or responses. Replaces each part that has a title by a reference to a
   * component.
   * @param members additional members of the object
   */
  of(schema: v.GenericSchema, direction: Direction, members: Schemas = {}): JsonSchema {
    const { properties, ...converted } = jsonSchemaOf(schema, direction);
    // Own members win over additional ones and keep their place.
    const merged = properties && { properties: { ...properties, ...members, ...properties } };
    return this.#extract({ ...converted, ...merged }, direction);
  }

  /** Adds a component and returns a reference to it. */
  add(name: string, schema: JsonSchema): JsonSchema {
    if (name in this.schemas && !isDeepStrictEqual(this.schemas[name], schema))
      throw new TypeError(`Two different schemas have the title ${name}.`);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  #extract(schema: JsonSchema, direction: Direction): JsonSchema {
    const { title, properties, items, anyOf, ...rest } = forDirection(schema, direction);
    const extracted: JsonSchema = { ...rest };
    if (properties !== undefined) {
      const possible = Object.entries(properties as Schemas).filter(([, member]) => member.not === undefined);
      extracted.properties = Object.fromEntries(
        possible.map(([name, member]) => [name, describeDefault(this.#extract(member, direction))]),
      );
    }
    if (items !== undefined) extracted.items = this.#extract(items as JsonSchema, direction);
    if (anyOf !== undefined) extracted.anyOf = anyOf.map((each) => this.#extract(each as JsonSchema, direction));
    return title === undefined ? extracted : this.#reference(title, extracted, direction);
  }

  /**
   * Adds a component. A request schema that differs from the response schema of the same title is named `{title}Input`.
   * A field that only describes it in other words keeps its description next to the reference.
   */
  #reference(title: string, { default: value, readOnly, ...schema }: JsonSchema, direction: Direction): JsonSchema {
    const known = this.schemas[title];
    const own = { ...(readOnly && { readOnly }), ...(value === undefined ? {} : { default: value }) };
    const { description } = schema;
    if (known !== undefined && isDeepStrictEqual({ ...known, description }, schema)) {
      const isSame = known.description === description;
      return { ...this.add(title, known), ...(isSame ? {} : { description }), ...own };
    }
    return { ...this.add(direction === "request" && known !== undefined ? `${title}Input` : title, schema), ...own };
  }
}

/** Moves a default into the description, because type generators make a member with a default required. */
function describeDefault({ default: value, ...schema }: JsonSchema): JsonSchema {
  if (value === undefined || typeof value === "object") return schema;
  return { ...schema, description: `${schema.description} Default: ${value}.` };
}

/** Removes from a response schema what only requests have: defaults, read-only marks, other date-time forms. */
function forDirection(schema: JsonSchema, direction: Direction): JsonSchema {
  if (direction === "request") return schema;
  const { default: _, readOnly: _r, ...rest } = schema;
  return rest.format === "date-time" ? ({ ...rest, "x-pattern": dateTimePattern } as JsonSchema) : rest;
}
