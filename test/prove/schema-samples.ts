import * as v from "valibot";

type Schema = v.GenericSchema;
type Parts = Schema & {
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  /** The values of a picklist, or the schemas of a union. */
  readonly options?: readonly string[] | readonly Schema[];
  readonly literal?: string;
};

/** An input for text in a value: its path, and the texts that it accepts. */
export type TextInput = {
  readonly path: readonly (string | number)[];
  readonly accepts: (text: string) => boolean;
  /** Whether the text is a key of an object whose schema has no keys, such as `customFields`. */
  readonly isKey: boolean;
};

/** Returns the schema inside an optional or nullable one. */
export function inner(schema: Schema): Parts {
  let parts = schema as Parts;
  while (parts.wrapped !== undefined) parts = parts.wrapped as Parts;
  return parts;
}

/** Returns every input for text in a schema. A list counts by its first item. */
export function textInputs(schema: Schema, path: TextInput["path"] = []): TextInput[] {
  const { entries, item, type } = inner(schema);
  if (entries !== undefined) return Object.entries(entries).flatMap(([key, each]) => textInputs(each, [...path, key]));
  if (item !== undefined) return textInputs(item, [...path, 0]);
  if (type === "string") return [{ path, accepts: (text) => v.is(schema, text), isKey: false }];
  if (type === "custom") return [{ path, accepts: (text) => v.is(schema, { [text]: "x" }), isKey: true }];
  if (type === "union") return variantsOf(schema).flatMap((each) => textInputs(each, path));
  if (textless.includes(type)) return [];
  throw new TypeError(`Add to schema-samples.ts the inputs for text of a schema of the type ${type}.`);
}
/** Schema types that accept no text. `unknown` is for members that are always rejected. */
const textless = ["picklist", "literal", "boolean", "number", "unknown"];

const texts = [
  "Sample",
  "2026-03-01",
  "2026-03-01T12:00:00Z",
  "sample@tenant.test",
  "EUR",
  "https://hooks.test/sample",
  "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11",
];

/** Returns the schemas of a union, or the schema if it isn't one. */
function variantsOf(schema: Schema): readonly Schema[] {
  const { options, type } = inner(schema);
  return type === "union" ? (options as readonly Schema[]) : [schema];
}

/** Returns the smallest values that a schema accepts, one for each option. */
export function samples(schema: Schema): unknown[] {
  const { entries, options, literal, type } = inner(schema);
  if (type === "union") return variantsOf(schema).flatMap(samples);
  if (literal !== undefined) return [literal];
  if (options !== undefined) return [...options];
  if (entries === undefined) return [simplestValue(schema, type)];
  const required = Object.entries(entries).filter(([, entry]) => !v.is(entry, undefined));
  let all: Record<string, unknown>[] = [{}];
  for (const [key, entry] of required) {
    all = all.flatMap((begun) => samples(entry).map((value) => ({ ...begun, [key]: value })));
  }
  return all;
}

function simplestValue(schema: Schema, type: string): unknown {
  const { item } = inner(schema);
  // A list that must not be empty.
  if (item !== undefined && !v.is(schema, [])) return samples(item).slice(0, 1);
  const simple: Readonly<Record<string, unknown>> = { array: [], boolean: false, number: 1, custom: {} };
  return Object.hasOwn(simple, type) ? simple[type] : texts.find((text) => v.is(schema, text));
}

/** Returns values that contain a text at a path. Everything around it is invented, in each possible way. */
export function withText(schema: Schema, value: unknown, input: TextInput, text: string): unknown[] {
  const [key, ...path] = input.path;
  if (key === undefined) return [input.isKey ? { [text]: "x" } : text];
  const { entries, item } = inner(schema);
  const variants = variantsOf(schema);
  if (variants.length > 1) return variants.flatMap((each) => withText(each, undefined, input, text));
  const rest = { ...input, path };
  if (item !== undefined) {
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    return withText(item, first, rest, text).map((each) => [each]);
  }
  const around = value === undefined || value === null ? samples(schema) : [value];
  const entry = entries?.[key];
  if (entry === undefined) return [];
  return (around as Record<string, unknown>[]).flatMap((object) => {
    return withText(entry, object[key], rest, text).map((each) => ({ ...object, [key]: each }));
  });
}
