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
