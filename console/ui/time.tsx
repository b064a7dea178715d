import { useEffect, useState } from "preact/hooks";
import { language } from "../language.ts";
import { texts } from "../texts.ts";
import { dateParts, formatSeconds } from "./date-text.ts";

const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
/** Older times are shown as dates. */
const maxRelativeMs = 7 * 86_400_000;
const minuteMs = 60_000;

/** Describes a time from the last week in words, such as "4 min. ago", and an older one as a date. */
export function describeTime(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso);
  if (elapsed > maxRelativeMs || elapsed < -minuteMs) return new Date(iso).toLocaleDateString(language, dateParts);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const [unit, ms] = units.find((each) => elapsed >= each[1]) ?? ["second", Number.POSITIVE_INFINITY];
  return format.format(-Math.floor(elapsed / ms) || 0, unit);
}

/** A time in words, or that there was none. The exact time is in its tooltip. */
export function RelativeTime({ iso }: { readonly iso: string | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  if (iso === null) return texts.setUp.keys.never;
  return (
    <time dateTime={iso} title={formatSeconds(iso)}>
      {describeTime(iso, now)}
    </time>
  );
}
