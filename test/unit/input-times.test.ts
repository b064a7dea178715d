import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { calendarDate, dateTime, isCalendarDate, parseDateTime, queryDateTime } from "../../lib/model/date-time.ts";

const instants: Readonly<Record<string, string | undefined>> = {
  "2026-03-01T09:30:00Z": "2026-03-01T09:30:00.000Z",
  "2026-03-01T09:30:00.1Z": "2026-03-01T09:30:00.100Z",
  "2026-03-01T09:30:00.123456789012Z": "2026-03-01T09:30:00.123Z",
  "2026-03-01T09:30:00.9999Z": "2026-03-01T09:30:00.999Z",
  "2026-03-01t09:30:00z": "2026-03-01T09:30:00.000Z",
  "2026-03-01T09:30:00+02:00": "2026-03-01T07:30:00.000Z",
  "2026-03-01T00:30:00+14:00": "2026-02-28T10:30:00.000Z",
  "2026-02-28T23:59:59-00:01": "2026-03-01T00:00:59.000Z",
  "2026-03-01T09:30:00-00:00": "2026-03-01T09:30:00.000Z",
  "2024-02-29T00:00:00Z": "2024-02-29T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z": "1969-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
  "0001-01-01T00:00:00.000Z": "0001-01-01T00:00:00.000Z",
  "0000-12-31T23:59:59-00:01": "0001-01-01T00:00:59.000Z",
  "0000-12-31T23:59:59.999Z": undefined,
  "0000-12-31T23:59:59Z": undefined,
  "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00+00:01": undefined,
  "9999-12-31T23:59:59-00:01": undefined,
  "2026-02-29T00:00:00Z": undefined,
  "2026-02-31T00:00:00Z": undefined,
  "2026-04-31T00:00:00Z": undefined,
  "2026-13-01T00:00:00Z": undefined,
  "2026-00-01T00:00:00Z": undefined,
  "2026-03-00T00:00:00Z": undefined,
  "1900-02-29T00:00:00Z": undefined,
  "2026-03-01T24:00:00Z": undefined,
  "2026-03-01T23:60:00Z": undefined,
  "2026-03-01T23:59:60Z": "2026-03-02T00:00:00.000Z",
  "2026-03-01T09:30:00": undefined,
  "2026-03-01T05:29:60.5+05:30": "2026-03-01T00:00:00.500Z",
  "2026-03-01T23:59:61Z": undefined,
  "2026-03-01T09:30Z": "2026-03-01T09:30:00.000Z",
  "2026-03-01T09:30+0200": "2026-03-01T07:30:00.000Z",
  "2026-03-01T09Z": undefined,
  "2026-03-01": undefined,
  "2026-03-01 09:30:00Z": undefined,
  "2026-03-01T09:30:00.Z": undefined,
  "2026-03-01T09:30:00,5Z": "2026-03-01T09:30:00.500Z",
  "2026-03-01T09:30:00.12345678901234567890Z": "2026-03-01T09:30:00.123Z",
  "2026-03-01T09:30:00+0200": "2026-03-01T07:30:00.000Z",
  "2026-03-01T09:30:00+02": "2026-03-01T07:30:00.000Z",
  "2026-03-01T09:30:00+24:00": undefined,
  "2026-03-01T09:30:00+02:60": undefined,
  "2026-03-01T09:30:00 02:00": undefined,
  " 2026-03-01T09:30:00Z": undefined,
  "2026-03-01T09:30:00Z\n": undefined,
  "20260301T093000Z": undefined,
  "+002026-03-01T09:30:00Z": undefined,
  "2026-3-1T09:30:00Z": undefined,
  "٢٠٢٦-03-01T09:30:00Z": undefined,
  "": undefined,
};

for (const [written, expected] of Object.entries(instants)) {
  test(`parseDateTime returns ${expected ?? "undefined"} for ${JSON.stringify(written)}`, () => {
    const at = parseDateTime(written);
    assert.equal(at === undefined ? undefined : new Date(at).toISOString(), expected);
    const parsed = v.safeParse(dateTime, written);
    assert.deepEqual(
      [parsed.success, parsed.issues?.map(({ type }) => type)],
      at === undefined ? [false, ["invalid_format"]] : [true, undefined],
    );
    if (parsed.success) assert.equal(parsed.output, at);
  });
}

test("a rejected date-time names its problem", () => {
  const problems = {
    "2026-03-01": "must have a time and a time zone, such as 2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00": "must have a time zone: Z for UTC, or an offset such as +02:00",
    "2026-02-30T09:30:00Z": "must be a date that exists. There is no 2026-02-30",
    "2026-03-01T24:00:00Z": "must have a time from 00:00:00 to 23:59:59",
    "2026-03-01T09:30:00+24:00": "must have an offset below 24 hours",
    "0001-01-01T00:00:00+01:00": "must be in the years 0001 to 9999 in UTC",
    tomorrow: "must be a date-time, such as 2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00 02:00": "must be a date-time, such as 2026-03-01T09:30:00Z",
  };
  const problemOf = (schema: v.GenericSchema, text: string) => v.safeParse(schema, text).issues?.[0].message;
  for (const [text, problem] of Object.entries(problems)) assert.equal(problemOf(dateTime, text), problem);
  const hint = " (in a URL, write + as %2B)";
  assert.ok(problemOf(queryDateTime, "2026-03-01T09:30:00 02:00")?.endsWith(hint));
  assert.equal(problemOf(calendarDate, "2026-02-30"), "must be a date that exists. There is no 2026-02-30");
});

test("a day is one of the calendar, in one way of writing", () => {
  const days = ["2026-03-01", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"];
  const others = [
    "0000-01-01",
    "0000-12-31",
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "26-01-01",
    "2026-1-1",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    "2026-01-01\n",
    "20260101",
    "",
  ];
  assert.deepEqual(
    days.filter((day) => !isCalendarDate(day)),
    [],
  );
  assert.deepEqual(others.filter(isCalendarDate), []);
  assert.deepEqual([v.is(calendarDate, "2026-02-28"), v.is(calendarDate, "2026-02-29")], [true, false]);
});
