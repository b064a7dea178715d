import * as v from "valibot";
import { jsonSchema, refine } from "./scalars.ts";

/** Returns `YYYY-MM-DDTHH:mm:ss.sssZ`, or null if the value isn't a number. */
export function formatDateTime(timestamp: unknown): string | null {
  return typeof timestamp === "number" ? new Date(timestamp).toISOString() : null;
}

const example = "such as 2026-03-01T09:30:00Z";

/** A date-time in ISO 8601 with an offset, stored as milliseconds since 1970. Smaller fractions are cut off. */
export const dateTime = dateTimeSchema("");

/** A date-time in a query string, where a + that isn't escaped becomes a space. */
export const queryDateTime = dateTimeSchema(" (in a URL, write + as %2B)");

function dateTimeSchema(hintForSpace: string) {
  return v.pipe(
    v.string(`must be a date-time, ${example}`),
    jsonSchema({ format: "date-time" }),
    refine(
      "invalid_format",
      (value) => parseDateTime(value) !== undefined,
      (value) => describeProblem(value) + (/ \d/.test(value) ? hintForSpace : ""),
    ),
    v.transform((value) => parseDateTime(value) as number),
  );
}

/** A date, `YYYY-MM-DD`. */
export const calendarDate = v.pipe(
  v.string("must be a date"),
  jsonSchema({ format: "date" }),
  refine("invalid_format", isCalendarDate, describeDateProblem),
);

/**
 * Returns the milliseconds since 1970 of a date-time in ISO 8601. Seconds are optional. Undefined if it is invalid, has
 * no offset, or is outside the years 1 to 9999 in UTC.
 */
export function parseDateTime(value: string): number | undefined {
  const canonical = parseCanonical(value);
  if (canonical !== undefined) return canonical;
  const parts = partsOf(value);
  if (parts?.offset === undefined || !existsInCalendar(parts.day) || !isTime(parts) || !isOffset(parts.offset))
    return undefined;
  // A leap second is the first second of the next minute, as in POSIX time.
  const at = Date.parse(`${parts.day}T${parts.hour}:${parts.minute}:00.${parts.milliseconds}Z`) + parts.second * 1_000;
  const time = at - offsetMs(parts.offset);
  return time >= minTime && time <= maxTime ? time : undefined;
}

/** Parses the format of responses, faster than the pattern does. */
function parseCanonical(value: string): number | undefined {
  if (value.length !== 24) return undefined;
  const at = Date.parse(value);
  return at >= minTime && new Date(at).toISOString() === value ? at : undefined;
}

type Parts = {
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: number;
  readonly milliseconds: string;
  /** Undefined if the text has no offset. */
  readonly offset: string | undefined;
};

const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;
const minTime = Date.parse("0001-01-01T00:00:00.000Z");
const maxTime = Date.parse("9999-12-31T23:59:59.999Z");

function partsOf(value: string): Parts | undefined {
  const match = dateTimePattern.exec(value);
  if (match === null) return undefined;
  const [, day = "", hour = "", minute = "", second = "0", fraction = "", offset] = match;
  return { day, hour, minute, second: Number(second), milliseconds: fraction.padEnd(3, "0").slice(0, 3), offset };
}

function isTime({ hour, minute, second }: Parts): boolean {
  return Number(hour) <= 23 && Number(minute) <= 59 && second <= 60;
}

function isOffset(offset: string): boolean {
  return Math.abs(offsetMs(offset)) < 24 * 60 * 60_000 && !/[6-9]\d$/.test(offset.slice(3));
}

function offsetMs(offset: string): number {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
}

/** Returns the message for a date-time that `parseDateTime` rejects. */
function describeProblem(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return `must have a time and a time zone, ${example}`;
  const parts = partsOf(value);
  if (parts === undefined) return `must be a date-time, ${example}`;
  if (!existsInCalendar(parts.day)) return describeMissingDate(parts.day);
  if (!isTime(parts)) return "must have a time from 00:00:00 to 23:59:59";
  if (parts.offset === undefined) return "must have a time zone: Z for UTC, or an offset such as +02:00";
  return isOffset(parts.offset) ? "must be in the years 0001 to 9999 in UTC" : "must have an offset below 24 hours";
}

/** Returns the message for a date that `isCalendarDate` rejects. */
export function describeDateProblem(value: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? describeMissingDate(value) : "must be a date, such as 2026-03-01";
}

/** Returns the message for a date that isn't in the calendar. */
function describeMissingDate(day: string): string {
  return `must be a date that exists. There is no ${day}`;
}

/** Returns whether a text is a date that exists, in the years 1 to 9999. */
export function isCalendarDate(value: string): boolean {
  return existsInCalendar(value) && !value.startsWith("0000");
}

/** Accepts the year 0, because an offset can move a time of that year into the year 1. */
function existsInCalendar(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const at = Date.parse(`${day}T00:00:00.000Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
