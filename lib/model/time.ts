const dayMs = 86_400_000;
const padded = (value: number, length: number): string => String(value).padStart(length, "0");
const many = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => text(i));
/** What stands in the text of a time for its minute, its second and its millisecond. */
const minutes = many(1_440, (minute) => `${padded(Math.floor(minute / 60), 2)}:${padded(minute % 60, 2)}:`);
const seconds = many(60, (second) => `${padded(second, 2)}.`);
const milliseconds = many(1_000, (millisecond) => `${padded(millisecond, 3)}Z`);
/** Days that were told lately, each in the place that follows from its number: a page goes to and fro between a few. */
const placesOfDays = 1_024;
const days = new Float64Array(placesOfDays).fill(Number.NaN);
const dayTexts: string[] = many(placesOfDays, () => "");

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, or null. A page has hundreds of them, and `toISOString` takes ten times as long. */
export function formatDateTime(at: unknown): string | null {
  if (typeof at !== "number") return null;
  const whole = Math.trunc(at);
  const day = Math.floor(whole / dayMs);
  const place = day & (placesOfDays - 1);
  if (days[place] !== day) {
    dayTexts[place] = new Date(day * dayMs).toISOString().slice(0, -13);
    days[place] = day;
  }
  const ofDay = whole - day * dayMs;
  const minute = (ofDay / 60_000) | 0;
  const ofMinute = ofDay - minute * 60_000;
  const second = (ofMinute / 1_000) | 0;
  return dayTexts[place] + (minutes[minute] as string) + seconds[second] + milliseconds[ofMinute - second * 1_000];
}
