import { language } from "../language.ts";

/** A date with the name of the month, because the order of numbers differs between languages. */
export const dateParts = { day: "numeric", month: "short", year: "numeric" } as const;

/** Formats a date without a time, such as "2026-03-31". */
export function formatDate(date: string): string {
  return new Date(date).toLocaleDateString(language, { ...dateParts, timeZone: "UTC" });
}

/** Formats a time in the time zone of the browser. */
export function formatTime(iso: string): string {
  return dateAndTime(iso, "short");
}

/** Formats a time with its seconds in the time zone of the browser. */
export function formatSeconds(iso: string): string {
  return dateAndTime(iso, "medium");
}

function dateAndTime(iso: string, timeStyle: "short" | "medium"): string {
  const time = new Date(iso);
  return `${time.toLocaleDateString(language, dateParts)}, ${time.toLocaleTimeString(language, { timeStyle })}`;
}

/** An input of a date, or of a date and a time in the time zone of the browser. */
export type DateInputType = "date" | "date-time";

const isoDate = /^(\d{4})-(\d\d?)-(\d\d?)$/;
/** As in German. No language writes the month first with points. */
const dottedDate = /^(\d\d?)\.\s*(\d\d?)\.\s*(\d{4})$/;
const namedDate = /^(?:(\d\d?)\.?\s+(\p{L}{3,})\.?|(\p{L}{3,})\.?\s+(\d\d?),?)\s+(\d{4})$/u;
const dateAndHour = /^(.+?)(?:T|,?\s+)(\d\d?):(\d\d)(?::(\d\d))?\s*(?:([ap])\.?m\.?)?$/i;
const anyDate = /^(.*)$/;

/**
 * Reads a date that a person has typed, and returns it for the API: with the name of a month in the language, as
 * DD.MM.YYYY, or as in ISO 8601. Undefined if there is no such date, or if the text has several meanings, such as
 * 12/11/2026, 24.12.26, or 2:30 in a language with AM and PM.
 * @param tag a BCP 47 tag, such as `de-CH`
 */
export function parseDate(text: string, tag: string, type: DateInputType = "date"): string | undefined {
  const form = type === "date" ? anyDate : dateAndHour;
  const [, date = "", typed = "12", minute = "0", second = "0", half] = form.exec(text.trim()) ?? [];
  const iso = date
    .replace(dottedDate, "$3-$2-$1")
    .replace(
      namedDate,
      (_, day, name, other, otherDay, year) => `${year}-${monthOf(name ?? other, tag)}-${day ?? otherDay}`,
    );
  const [year = 0, month = 0, day] = isoDate.exec(iso)?.slice(1).map(Number) ?? [];
  let hour = Number(typed);
  const isHalf = hour > 0 && hour < 13;
  if (half ? !isHalf : isHalf && type !== "date" && !isoDate.test(date) && hasHalves(tag)) return undefined;
  if (half) hour = (hour % 12) + (/p/i.test(half) ? 12 : 0);
  const time = new Date(year, month - 1, day, hour, Number(minute), Number(second));
  // A day or an hour that doesn't exist becomes another one, as a year before 100.
  const found = [time.getFullYear(), time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()];
  if (found.join() !== [year, month, day, hour, Number(minute)].join()) return undefined;
  return type === "date" ? toLocalIso(time).slice(0, 10) : time.toISOString();
}

/** Formats a value of the API for an input: with the name of the month, or in German as DD.MM.YYYY. */
export function toDateText(value: string, tag: string, type: DateInputType = "date"): string {
  const time = new Date(type === "date" ? `${value}T12:00` : value);
  const parts = tag.startsWith("de") ? ({ day: "2-digit", month: "2-digit", year: "numeric" } as const) : dateParts;
  const date = time.toLocaleDateString(tag, parts);
  if (type === "date") return date;
  return `${date}, ${time.toLocaleTimeString(tag, { timeStyle: time.getSeconds() === 0 ? "short" : "medium" })}`;
}

/** Returns an example of what an input takes. */
export function exampleDate(tag: string, type: DateInputType): string {
  return toDateText(type === "date" ? "2026-12-24" : "2026-12-24T14:30", tag, type);
}

/** Returns a value of the API for a native input. */
export function toNativeDate(value: string, type: DateInputType): string {
  return type === "date" ? value : toLocalIso(new Date(value)).slice(0, 16);
}

function toLocalIso(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
}

/** Returns the number of the month whose name begins with `name`. Without one, it is 0. */
function monthOf(name: string, tag: string): number {
  const names = Array.from({ length: 12 }, (_, month) =>
    new Date(2026, month).toLocaleDateString(tag, { month: "long" }).toLowerCase(),
  );
  return names.findIndex((each) => each.startsWith(name.toLowerCase())) + 1;
}

/** Returns whether a language has AM and PM. */
function hasHalves(tag: string): boolean {
  return /AM/i.test(new Date(2026, 1, 1, 9).toLocaleTimeString(tag));
}
