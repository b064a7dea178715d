import { isDeepStrictEqual } from "node:util";

/** An OpenAPI document or a part of it. */
export type Tree = { readonly [key: string]: Tree | undefined };

/**
 * Whether the client sends or receives a value. A wider schema is compatible in requests only, a narrower one in
 * responses only.
 */
export type Direction = "request" | "response";

/** A schema and the document that its references point into. */
export type SchemaInDocument = { readonly document: Tree; readonly schema: Tree };

const upperBounds = ["maxLength", "maximum", "maxItems"];
const lowerBounds = ["minLength", "minimum", "minItems"];
const exactKeywords = ["format", "pattern", "const"];

/**
 * Yields the breaking changes between two schemas. A request breaks if a valid value becomes invalid. A response breaks
 * if it can contain a value that was impossible before.
 */
export function* schemaBreaks(
  before: SchemaInDocument,
  after: SchemaInDocument,
  direction: Direction,
  where: string,
): Generator<string> {
  const [old, now] = [merged(before), merged(after)];
  const [from, to] = direction === "request" ? [old, now] : [now, old];
  const [fromTypes, toTypes] = [listOf(from.type), listOf(to.type)];
  const unexpected = fromTypes.filter((type) => toTypes.length > 0 && !toTypes.includes(type));
  if (unexpected.length > 0 || (fromTypes.length === 0 && toTypes.length > 0)) {
    yield direction === "request"
      ? `${where} may no longer be ${unexpected.join(" or ") || "anything"}`
      : `${where} may now be ${unexpected.join(" or ") || "anything"}`;
  }
  const options = listOf(old.enum).filter((option) => now.enum !== undefined && !listOf(now.enum).includes(option));
  if (options.length > 0) yield `${where} no longer has the value ${options.join(", ")}`;
  if (direction === "request" && old.enum === undefined && now.enum !== undefined)
    yield `${where} now has a list of allowed values`;
  if (direction === "response" && old.enum !== undefined && now.enum === undefined)
    yield `${where} no longer has a list of allowed values`;
  yield* boundBreaks(old, now, direction, where);
  yield* memberBreaks({ ...before, schema: old }, { ...after, schema: now }, direction, where);
  if (old.items !== undefined) {
    yield* schemaBreaks(part(before, old.items), part(after, now.items), direction, `${where}[]`);
  }
  yield* alternativeBreaks({ ...before, schema: old }, { ...after, schema: now }, direction, where);
}

function* boundBreaks(old: Tree, now: Tree, direction: Direction, where: string): Generator<string> {
  for (const keyword of exactKeywords) {
    const isSame = isDeepStrictEqual(old[keyword], now[keyword]);
    const mayChange = direction === "request" ? now[keyword] === undefined : old[keyword] === undefined;
    if (!isSame && !mayChange) yield `${where} has a different ${keyword}`;
  }
  if (direction === "response") return;
  for (const bound of upperBounds) {
    if (Number(now[bound] ?? Infinity) < Number(old[bound] ?? Infinity)) yield `${where} has a smaller ${bound}`;
  }
  for (const bound of lowerBounds) {
    if (Number(now[bound] ?? -Infinity) > Number(old[bound] ?? -Infinity)) yield `${where} has a larger ${bound}`;
  }
}

function* memberBreaks(
  before: SchemaInDocument,
  after: SchemaInDocument,
  direction: Direction,
  where: string,
): Generator<string> {
  const [old, now] = [before.schema, after.schema];
  const [wasRequired, isRequired] = [listOf(old.required), listOf(now.required)];
  for (const [name, member] of Object.entries(old.properties ?? {})) {
    const other = now.properties?.[name];
    if (other !== undefined)
      yield* schemaBreaks(part(before, member), part(after, other), direction, `${where}.${name}`);
    else if (direction === "response" || isFalse(now.additionalProperties)) yield `${where}.${name} was removed`;
    if (direction === "response" && other !== undefined && wasRequired.includes(name) && !isRequired.includes(name)) {
      yield `${where}.${name} is no longer required`;
    }
  }
  if (direction === "request") {
    for (const name of isRequired.filter((each) => !wasRequired.includes(each)))
      yield `${where}.${name} is now required`;
  }
  const [others, othersNow] = [old.additionalProperties, now.additionalProperties];
  if (isSchema(others) && isSchema(othersNow)) {
    yield* schemaBreaks(part(before, others), part(after, othersNow), direction, `${where}.*`);
  } else if (isSchema(others) !== isSchema(othersNow)) {
    yield `${where} has different rules for additional members`;
  }
}

/**
 * Compares the schemas under anyOf, oneOf and allOf in order. An additional schema under anyOf or oneOf accepts more
 * values, and one under allOf accepts fewer.
 */
function* alternativeBreaks(
  before: SchemaInDocument,
  after: SchemaInDocument,
  direction: Direction,
  where: string,
): Generator<string> {
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const [old, now] = [before.schema[keyword], after.schema[keyword]].map(
      (list) => Object.values(list ?? {}) as Tree[],
    );
    const more = (now?.length ?? 0) - (old?.length ?? 0);
    const widening = keyword === "allOf" ? -more : more;
    if (direction === "request" ? widening < 0 : widening > 0) {
      yield `${where} has ${more < 0 ? "fewer" : "more"} schemas under ${keyword}`;
    }
    for (const [index, schema] of (old ?? []).slice(0, now?.length).entries()) {
      yield* schemaBreaks(part(before, schema), part(after, now?.[index]), direction, `${where}/${keyword}/${index}`);
    }
  }
}

/** Returns the target of the reference of a schema, merged with the other members of the schema. */
function merged({ document, schema }: SchemaInDocument): Tree {
  const ref = schema.$ref as string | undefined;
  if (ref === undefined) return schema;
  const target = ref
    .split("/")
    .slice(1)
    .reduce<Tree | undefined>((found, key) => found?.[key], document);
  return { ...merged({ document, schema: target ?? {} }), ...schema };
}

function part({ document }: SchemaInDocument, schema: Tree | undefined): SchemaInDocument {
  return { document, schema: schema ?? {} };
}

function isSchema(value: unknown): value is Tree {
  return typeof value === "object";
}

function isFalse(value: unknown): boolean {
  return value === false;
}

/** Returns an array unchanged, and any other value as an array with one item. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
