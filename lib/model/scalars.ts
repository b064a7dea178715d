import * as v from "valibot";
import type { FieldError } from "./errors.ts";
import { inexactNumberMessage } from "./exact-number.ts";
import { splitList } from "./query-list.ts";

/**
 * Returns a valibot check that reports a field error code. The message is a predicate, "must be …", without a full
 * stop.
 */
export function refine<T>(code: FieldError["code"], holds: (value: T) => boolean, message: Message<T>) {
  const text = typeof message === "string" ? message : (issue: v.CheckIssue<T>) => message(issue.input);
  return Object.assign(v.check<T, v.ErrorMessage<v.CheckIssue<T>>>(holds, text), { type: code as "check" });
}
type Message<T> = string | ((value: T) => string);

/**
 * JSON Schema metadata for a valibot schema, for the OpenAPI description and the tenant file format. Place it before a
 * transform.
 */
export const jsonSchema = v.metadata;

/** Adds a description to a schema. */
export function describe<const S extends v.GenericSchema>(schema: S, sentence: string) {
  return v.pipe(schema, v.description<v.InferOutput<S>, string>(sentence));
}

/** A text of any length, without lone surrogates (SQLite replaces them) and NUL (PostgreSQL rejects it). */
export const unboundedText = v.pipe(
  v.string("must be a string"),
  jsonSchema({ pattern: "^[^\\u0000]*$" }),
  refine("invalid_format", isStorable, "must be valid Unicode without NUL characters"),
);

/** Returns the schema of a text of at most `maxLength` code points. */
export function text(maxLength: number) {
  return v.pipe(
    unboundedText,
    jsonSchema({ maxLength }),
    refine("too_long", (value) => isWithin(value, maxLength), `must be at most ${maxLength} characters long`),
  );
}

/** The maximum length of any text that the API accepts, in code points. */
export const maxTextLength = 65_536;

/** A text of several lines or pages, such as a description. */
export const longText = text(maxTextLength);

/** A pattern of texts without NUL that aren't only whitespace. */
export const nonEmptyPattern = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";

/** Returns the schema of a text of 1 to `maxLength` code points that isn't only whitespace. */
export function nonEmptyText(maxLength: number) {
  return v.pipe(
    text(maxLength),
    jsonSchema({ minLength: 1, pattern: nonEmptyPattern }),
    refine("required", (value) => value.trim() !== "", "must not be empty"),
  );
}

/** Returns the schema of a text that can be null. An empty text means null. */
export function nullableText<S extends v.GenericSchema<string, string>>(schema: S) {
  const nullable = v.nullable(schema);
  const run: (typeof nullable)["~run"] = (dataset, config) =>
    dataset.value === "" ? { typed: true, value: null } : nullable["~run"](dataset, config);
  return { ...nullable, "~run": run, acceptsEmpty: true } as typeof nullable;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a text is a UUID of any version. */
export function isUuid(value: string): boolean {
  return uuidForm.test(value);
}

/** A UUID of any version. The stored value is in lower case. */
export const uuid = v.pipe(
  v.string("must be a UUID"),
  jsonSchema({ format: "uuid" }),
  refine("invalid_format", isUuid, "must be a UUID, such as 0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11"),
  v.transform((value) => value.toLowerCase()),
);

/** One @, no whitespace, and a domain with a dot. */
const emailForm = String.raw`[^\s@"(),:;<>\[\]\\\u0000]+@[^\s@"(),:;<>\[\]\\.\u0000]+(?:\.[^\s@"(),:;<>\[\]\\.\u0000]+)+`;
const emailPattern = new RegExp(`^\\s*${emailForm}\\s*$`, "u");
const maxEmailLength = 254;

/**
 * An email address of at most 254 characters, with one @ and a dot in the domain. Surrounding whitespace is removed.
 */
export const email = emailSchema("");

/** An email address in a query. A + in a URL that isn't escaped becomes a space. */
export const queryEmail = emailSchema(" (in a URL, write + as %2B)");

/** `hint` follows the message about an address with a space. */
function emailSchema(hint: string) {
  const message = "must be an email address, such as ana@example.com";
  return v.pipe(
    unboundedText,
    v.transform((value) => value.trim()),
    text(maxEmailLength),
    jsonSchema({ pattern: emailPattern.source }),
    refine("invalid_format", isEmail, (value) => (/ .*@/.test(value) ? message + hint : message)),
  );
}

const urlForm = String.raw`[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\u0000\/?#][^\s\u0000]*`;
const domainForm = String.raw`[^\s\u0000\/?#@:\\.]+(?:\.[^\s\u0000\/?#@:\\.]+)+(?::\d{1,5})?(?:[\/?#][^\s\u0000]*)?`;
const websitePattern = new RegExp(`^(?:${urlForm}|${domainForm})?$`, "u");
const maxWebsiteLength = 2_048;

/**
 * A website as an http or https URL, or as a domain with an optional port and path. No other scheme is accepted,
 * because applications show the value as a link.
 */
export const website = v.pipe(
  text(maxWebsiteLength),
  jsonSchema({ pattern: websitePattern.source }),
  refine("invalid_format", isWebsite, "must be an http or https URL or a domain, such as https://example.com"),
);

/**
 * Returns the schema of a list of at most `maxEntries` entries. The entries of a longer list aren't checked, because
 * that could take seconds.
 */
export function listOf<S extends v.GenericSchema>(item: S, maxEntries: number, message: string) {
  const list = v.array(item, message);
  const fits = (entries: readonly unknown[]): boolean => entries.length <= maxEntries;
  const run: (typeof list)["~run"] = (dataset, config) => {
    const { value } = dataset;
    return Array.isArray(value) && !fits(value) ? { typed: true, value } : list["~run"](dataset, config);
  };
  const bound = refine<v.InferOutput<S>[]>("out_of_range", fits, `must have at most ${maxEntries} entries`);
  return v.pipe({ ...list, "~run": run }, jsonSchema({ maxItems: maxEntries }), bound);
}

/** Returns the schema of a query parameter with values separated by commas, see `splitList`. */
export function queryList<S extends v.GenericSchema>(item: S, maxEntries: number) {
  const split = v.transform((value: string): unknown => splitList(value));
  const list = v.pipe(v.string(), split, listOf(item, maxEntries, "must be a list"), jsonSchema({ minItems: 1 }));
  // `validate` finds the options of an item there.
  return Object.assign(list, { item });
}

/** A number that a double holds exactly. `parseJsonObject` returns Infinity for all others. */
export const finiteNumber = v.pipe(
  v.number("must be a number"),
  refine<number>("out_of_range", Number.isFinite, inexactNumberMessage),
);

/** Returns the schema of a number from `min` to `max`. */
export function numberBetween(min: number, max: number) {
  const message = `must be a number from ${min} to ${max}`;
  return v.pipe(
    v.number(message),
    jsonSchema({ minimum: min, maximum: max }),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** Returns the schema of an integer from `min` to `max`, by default to the largest integer of 32 bits. */
export function integer(min: number, max = maxInteger) {
  const message = `must be an integer from ${min} to ${max}`;
  return v.pipe(
    v.number(message),
    jsonSchema({ minimum: min, maximum: max }),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}
const maxInteger = 2_147_483_647;

/** Returns the schema of an integer in a query string. */
export function queryInteger(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`;
  return v.pipe(
    v.string(message),
    jsonSchema({ type: "integer", minimum: min, maximum: max }),
    refine("invalid_type", (value) => /^-?\d{1,15}$/.test(value), message),
    v.transform(Number),
    refine("out_of_range", (value) => value >= min && value <= max, message),
  );
}

/** `true` or `false` in a query string. */
export const queryBoolean = v.pipe(
  v.picklist(["true", "false"]),
  jsonSchema({ type: "boolean", enum: undefined }),
  v.transform((value) => value === "true"),
);

/**
 * Accepts a text that has another error, so that only one error is reported. Doesn't use `URL.canParse`, which rejects
 * some non-ASCII domains after thousands of calls in Node 22.
 */
function isWebsite(value: string): boolean {
  if (value === "" || !isWithin(value, maxWebsiteLength) || !isStorable(value)) return true;
  return websitePattern.test(value) && URL.parse(/^https?:/i.test(value) ? value : `https://${value}`) !== null;
}

function isEmail(value: string): boolean {
  return !isWithin(value, maxEmailLength) || emailPattern.test(value);
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Returns whether a text has at most `maxLength` code points. */
function isWithin(value: string, maxLength: number): boolean {
  if (value.length <= maxLength) return true;
  if (value.length > maxLength * 2) return false;
  let points = 0;
  for (const _ of value) points++;
  return points <= maxLength;
}
