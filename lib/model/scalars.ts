import * as v from "valibot";
import type { FieldError } from "./errors.ts";

/**
 * A check whose issue carries one of our problem codes. `message` is a predicate, "must be …": without a full stop, but
 * for one that the value makes and that goes on with a hint.
 */
export function refine<T>(code: FieldError["code"], holds: (value: T) => boolean, message: Message<T>) {
  const told = typeof message === "string" ? message : (issue: v.CheckIssue<T>) => message(issue.input);
  return Object.assign(v.check<T, v.ErrorMessage<v.CheckIssue<T>>>(holds, told), { type: code as "check" });
}
type Message<T> = string | ((value: T) => string);

/**
 * What a check means in JSON Schema, said beside it: what is made from a schema (the description of the API, the format
 * of tenant files) then says what the schema does. It stands before a transform, because that ends what comes in.
 */
export const jsonSchema = v.metadata;

/** The schema with a sentence about its values, for who reads the description. */
export function describe<const S extends v.GenericSchema>(schema: S, sentence: string) {
  return v.pipe(schema, v.description<v.InferOutput<S>, string>(sentence));
}

/** Text that every storage can keep: no lone surrogate (SQLite replaces it), no NUL (PostgreSQL refuses it). */
export const unboundedText = v.pipe(
  v.string("must be a string"),
  jsonSchema({ pattern: "^[^\\u0000]*$" }),
  refine("invalid_format", storable, "must be valid Unicode without NUL characters"),
);

/** Text of at most `lengthMax` code points. */
export function text(lengthMax: number) {
  return v.pipe(
    unboundedText,
    jsonSchema({ maxLength: lengthMax }),
    refine("too_long", (value) => within(value, lengthMax), `must be at most ${lengthMax} characters long`),
  );
}

/** The maximum length of any text that the API accepts, in code points. */
export const maxTextLength = 65_536;

/** A text of several lines or pages, such as a description. */
export const longText = text(maxTextLength);

/** Text of 1 to `lengthMax` code points that is not only white space. */
export function nonEmptyText(lengthMax: number) {
  return v.pipe(
    text(lengthMax),
    jsonSchema({ minLength: 1, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" }),
    refine("required", (value) => value.trim() !== "", "must not be empty"),
  );
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a uuid, of any version. */
export function isUuid(value: string): boolean {
  return uuidForm.test(value);
}

/** A uuid of any version, in lower case from here on. */
export const uuid = v.pipe(
  v.string("must be a uuid"),
  jsonSchema({ format: "uuid" }),
  refine("invalid_format", isUuid, "must be a uuid, such as 0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11"),
  v.transform((value) => value.toLowerCase()),
);

/** An RFC 3339 date-time with an offset, kept as milliseconds since 1970. Digits beyond the millisecond are cut. */
export const dateTime = v.pipe(
  v.string("must be a date-time"),
  jsonSchema({ format: "date-time" }),
  refine(
    "invalid_format",
    (value) => parseDateTime(value) !== undefined,
    "must be an existing date-time with an offset, such as 2026-03-01T09:30:00Z (in a query string write + as %2B)",
  ),
  v.transform((value) => parseDateTime(value) as number),
);

/** A calendar day, `YYYY-MM-DD`. */
export const calendarDate = v.pipe(
  v.string("must be a date"),
  jsonSchema({ format: "date" }),
  refine("invalid_format", isCalendarDate, "must be an existing day as YYYY-MM-DD, such as 2026-03-01"),
);

/** One @, no blanks but around it, a domain with a dot. */
const emailForm = String.raw`[^\s@"(),:;<>\[\]\\\u0000]+@[^\s@"(),:;<>\[\]\\.\u0000]+(?:\.[^\s@"(),:;<>\[\]\\.\u0000]+)+`;
const emailPattern = new RegExp(`^\\s*${emailForm}\\s*$`, "u");
const emailLengthMax = 254;

/**
 * An e-mail address as people write them: one @, no blanks, a domain with a dot, at most 254 characters. Blanks around
 * it are taken away first and do not count.
 */
export const email = v.pipe(
  unboundedText,
  v.transform((value) => value.trim()),
  text(emailLengthMax),
  jsonSchema({ pattern: emailPattern.source }),
  // What is too long is not looked at any further.
  refine("invalid_format", isEmail, (value) => {
    const asked = "must be an e-mail address, such as ana@example.com";
    // What an address in a query string becomes whose + is written as it is.
    return / .*@/.test(value) ? `${asked} (in a query string write + as %2B)` : asked;
  }),
);

const urlForm = String.raw`[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\u0000\/?#][^\s\u0000]*`;
const domainForm = String.raw`[^\s\u0000\/?#@:\\.]+(?:\.[^\s\u0000\/?#@:\\.]+)+(?::\d{1,5})?(?:[\/?#][^\s\u0000]*)?`;
const websitePattern = new RegExp(`^(?:${urlForm}|${domainForm})?$`, "u");
const maxWebsiteLength = 2_048;

/**
 * A website as an http or https URL, or as a domain with an optional port and path. No other scheme is accepted, because
 * applications show the value as a link.
 */
export const website = v.pipe(
  text(maxWebsiteLength),
  jsonSchema({ pattern: websitePattern.source }),
  refine("invalid_format", isWebsite, "must be an http or https URL or a domain, such as https://example.com"),
);

/** A list of at most `entriesMax` entries. Those of a longer one are not looked at: a body full of them takes seconds. */
export function listOf<S extends v.GenericSchema>(item: S, entriesMax: number, message: string) {
  const list = v.array(item, message);
  const fits = (entries: readonly unknown[]): boolean => entries.length <= entriesMax;
  const run: (typeof list)["~run"] = (dataset, config) => {
    const { value } = dataset;
    return Array.isArray(value) && !fits(value) ? { typed: true, value } : list["~run"](dataset, config);
  };
  const bound = refine<v.InferOutput<S>[]>("out_of_range", fits, `must have at most ${entriesMax} entries`);
  return v.pipe({ ...list, "~run": run }, jsonSchema({ maxItems: entriesMax }), bound);
}

/** A JSON number that is neither infinite (1e999 is, once parsed) nor NaN. */
export const finiteNumber = v.pipe(
  v.number("must be a number"),
  refine<number>("out_of_range", (value) => Number.isFinite(value), "must be a finite number"),
);

/** A JSON number from `min` to `max`, such as a percentage. */
export function numberBetween(min: number, max: number) {
  const message = `must be a number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message));
}

/** A whole JSON number from `min` to `max`, by default the largest that is exact everywhere. */
export function integer(min: number, max = wholeNumberMax) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}
const wholeNumberMax = 2_147_483_647;

/** A whole number as a query string writes it. */
export function queryInteger(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(message),
    jsonSchema({ type: "integer", minimum: min, maximum: max }),
    refine("invalid_type", (value) => /^-?\d{1,15}$/.test(value), message),
    v.transform(Number),
    refine("out_of_range", (value) => value >= min && value <= max, message),
  );
}

/** `true` or `false` as a query string writes it. */
export const queryBoolean = v.pipe(
  v.picklist(["true", "false"]),
  jsonSchema({ type: "boolean", enum: undefined }),
  v.transform((value) => value === "true"),
);

/** The milliseconds of an RFC 3339 date-time, or undefined where there is no such moment in the years 1 to 9999. */
export function parseDateTime(value: string): number | undefined {
  const asWritten = writtenInstantOf(value);
  if (asWritten !== undefined) return asWritten;
  const match = instantForm.exec(value);
  if (match === null) return undefined;
  const [, day = "", hour = "", minute = "", second = "", fraction = "", sign, offsetHour = "0", offsetMinute = "0"] =
    match;
  if (!existsInCalendar(day) || +hour > 23 || +minute > 59 || +second > 59) return undefined;
  if (+offsetHour > 23 || +offsetMinute > 59) return undefined;
  const local = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`);
  const offsetMs = (+offsetHour * 60 + +offsetMinute) * 60_000 * (sign === "-" ? -1 : 1);
  const at = local - offsetMs;
  return at >= instantMin && at <= instantMax ? at : undefined;
}
/** Of a time as answers write it: what the runtime reads and writes as the same text exists. */
function writtenInstantOf(value: string): number | undefined {
  if (value.length !== 24) return undefined;
  const at = Date.parse(value);
  return at >= instantMin && new Date(at).toISOString() === value ? at : undefined;
}
const instantForm = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const instantMin = Date.parse("0001-01-01T00:00:00.000Z");
const instantMax = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether a text is a day of the calendar in the years 1 to 9999: 31 February is not. */
export function isCalendarDate(value: string): boolean {
  return existsInCalendar(value) && !value.startsWith("0000");
}

/** In the year 0 too: with its offset, a time of that year may lie in the year 1. */
function existsInCalendar(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const at = Date.parse(`${day}T00:00:00.000Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

/** A text with another error isn't checked, so that it has one error only. */
function isWebsite(value: string): boolean {
  if (value === "" || !within(value, maxWebsiteLength) || !storable(value)) return true;
  return websitePattern.test(value) && URL.canParse(/^https?:/i.test(value) ? value : `https://${value}`);
}

function isEmail(value: string): boolean {
  return !within(value, emailLengthMax) || emailPattern.test(value);
}

function storable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

function within(value: string, lengthMax: number): boolean {
  if (value.length <= lengthMax) return true;
  if (value.length > lengthMax * 2) return false;
  let points = 0;
  for (const _ of value) points++;
  return points <= lengthMax;
}
