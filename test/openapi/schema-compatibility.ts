import { isDeepStrictEqual } from "node:util";

/** A document, or any part of it. */
export type Tree = { readonly [key: string]: Tree | undefined };

/** Whether a value is sent by the client or shown to it: what may grow in one must not grow in the other. */
export type Direction = "request" | "response";

/** A schema, and the document that its references lead into. */
export type Placed = { readonly document: Tree; readonly schema: Tree };

const upperBounds = ["maxLength", "maximum", "maxItems"];
const lowerBounds = ["minLength", "minimum", "minItems"];
const forms = ["format", "pattern", "const"];

/**
 * How a value that fits one schema may not fit the other: in a request, what was accepted before and is refused now;
 * in a response, what a reader could count on before and cannot now.
 */
export function* schemaBreaks(before: Placed, after: Placed, direction: Direction, where: string): Generator<string> {
  const [old, now] = [merged(before), merged(after)];
  const [from, to] = direction === "request" ? [old, now] : [now, old];
  const [fromTypes, toTypes] = [listOf(from.type), listOf(to.type)];
  const strange = fromTypes.filter((type) => toTypes.length > 0 && !toTypes.includes(type));
  if (strange.length > 0 || (fromTypes.length === 0 && toTypes.length > 0)) {
    yield direction === "request"
      ? `${where} may no longer be ${strange.join(" or ") || "anything"}`
      : `${where} may now be ${strange.join(" or ") || "anything"}`;
  }
  const options = listOf(old.enum).filter((option) => now.enum !== undefined && !listOf(now.enum).includes(option));
  if (options.length > 0) yield `${where} has lost the value ${options.join(", ")}`;
  if (direction === "request" && old.enum === undefined && now.enum !== undefined)
    yield `${where} is now one of a list`;
  if (direction === "response" && old.enum !== undefined && now.enum === undefined)
    yield `${where} is no list of words now`;
  yield* boundBreaks(old, now, direction, where);
  yield* memberBreaks({ ...before, schema: old }, { ...after, schema: now }, direction, where);
  if (old.items !== undefined) {
    yield* schemaBreaks(part(before, old.items), part(after, now.items), direction, `${where}[]`);
  }
  yield* alternativeBreaks({ ...before, schema: old }, { ...after, schema: now }, direction, where);
}

function* boundBreaks(old: Tree, now: Tree, direction: Direction, where: string): Generator<string> {
  for (const form of forms) {
    const kept = isDeepStrictEqual(old[form], now[form]);
    const mayChange = direction === "request" ? now[form] === undefined : old[form] === undefined;
    if (!kept && !mayChange) yield `${where} has another ${form}`;
  }
  if (direction === "response") return;
  for (const bound of upperBounds) {
    if (Number(now[bound] ?? Infinity) < Number(old[bound] ?? Infinity)) yield `${where} has a smaller ${bound}`;
  }
  for (const bound of lowerBounds) {
    if (Number(now[bound] ?? -Infinity) > Number(old[bound] ?? -Infinity)) yield `${where} has a larger ${bound}`;
  }
}

function* memberBreaks(before: Placed, after: Placed, direction: Direction, where: string): Generator<string> {
  const [old, now] = [before.schema, after.schema];
  const [had, has] = [listOf(old.required), listOf(now.required)];
  for (const [name, member] of Object.entries(old.properties ?? {})) {
    const other = now.properties?.[name];
    if (other !== undefined)
      yield* schemaBreaks(part(before, member), part(after, other), direction, `${where}.${name}`);
    else if (direction === "response" || isFalse(now.additionalProperties)) yield `${where}.${name} is gone`;
    if (direction === "response" && other !== undefined && had.includes(name) && !has.includes(name)) {
      yield `${where}.${name} may now be left out`;
    }
  }
  if (direction === "request") {
    for (const name of has.filter((each) => !had.includes(each))) yield `${where}.${name} is now required`;
  }
  const [others, othersNow] = [old.additionalProperties, now.additionalProperties];
  if (isSchema(others) && isSchema(othersNow)) {
    yield* schemaBreaks(part(before, others), part(after, othersNow), direction, `${where}.*`);
  } else if (isSchema(others) !== isSchema(othersNow)) {
    yield `${where} has other rules for further members`;
  }
}

/**
 * Alternatives (anyOf, oneOf) and parts that all hold (allOf) are the same ones in the same order. One alternative
 * more accepts more, and one part more accepts less.
 */
function* alternativeBreaks(before: Placed, after: Placed, direction: Direction, where: string): Generator<string> {
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const [old, now] = [before.schema[keyword], after.schema[keyword]].map(
      (list) => Object.values(list ?? {}) as Tree[],
    );
    const more = (now?.length ?? 0) - (old?.length ?? 0);
    const accepted = keyword === "allOf" ? -more : more;
    if (direction === "request" ? accepted < 0 : accepted > 0) {
      yield `${where} has ${more < 0 ? "fewer" : "more"} schemas under ${keyword}`;
    }
    for (const [index, schema] of (old ?? []).slice(0, now?.length).entries()) {
      yield* schemaBreaks(part(before, schema), part(after, now?.[index]), direction, `${where}/${keyword}/${index}`);
    }
  }
}

/** The schema with its reference followed; what stands beside the reference counts too. */
function merged({ document, schema }: Placed): Tree {
  const ref = schema.$ref as string | undefined;
  if (ref === undefined) return schema;
  const target = ref
    .split("/")
    .slice(1)
    .reduce<Tree | undefined>((found, key) => found?.[key], document);
  return { ...merged({ document, schema: target ?? {} }), ...schema };
}

function part({ document }: Placed, schema: Tree | undefined): Placed {
  return { document, schema: schema ?? {} };
}

function isSchema(value: unknown): value is Tree {
  return typeof value === "object";
}

function isFalse(value: unknown): boolean {
  return value === false;
}

/** A list, or one thing as a list of one. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
