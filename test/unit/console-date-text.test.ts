import assert from "node:assert/strict";
import { test } from "node:test";
import { type DateInputType, exampleDate, parseDate, toDateText, toNativeDate } from "../../console/ui/date-text.ts";

/** Reads a text. A time is in the time zone of the machine. */
function read(text: string, tag: string, type: DateInputType = "date"): string | undefined {
  const value = parseDate(text, tag, type);
  return type === "date" || value === undefined ? value : new Date(value).toLocaleString("sv");
}

test("a date is understood in each language", () => {
  for (const tag of ["de", "de-AT", "en-US", "en-GB"])
    for (const text of ["24.12.2026", "24. 12. 2026", " 2026-12-24 ", toDateText("2026-12-24", tag)])
      assert.equal(read(text, tag), "2026-12-24", text);
  for (const text of ["24. Dez. 2026", "24. Dezember 2026", "24 dez 2026"])
    assert.equal(read(text, "de"), "2026-12-24", text);
  for (const text of ["Dec 24, 2026", "24 Dec 2026", "december 24 2026", "Dec. 24, 2026"])
    assert.equal(read(text, "en-US"), "2026-12-24", text);
  assert.equal(read("1. März 2026", "de"), "2026-03-01");
  assert.equal(read("5. Jän. 2026", "de-AT"), "2026-01-05");
});

test("a text that isn't a date or has several meanings is rejected", () => {
  const neither = [
    "12/11/2026",
    "24/12/2026",
    "24.12.26",
    "24.12.",
    "tomorrow",
    "",
    "20261224",
    "2026-02-30",
    "01.01.0050",
  ];
  const days = ["31.02.2026", "0.1.2026", "24.13.2026", "24. De 2026", "24 Mai 2026 5", "24 Foo 2026"];
  for (const text of [...neither, ...days]) assert.equal(read(text, "de"), undefined, text);
  for (const text of [...neither, "Feb 29, 2026", "Dez 24, 2026", "Dec 2026", "24 Dec 24 2026", "Dec 24, 26"])
    assert.equal(read(text, "en-US"), undefined, text);
});

test("a date and a time are understood in each language", () => {
  const time = "date-time";
  for (const text of ["24.12.2026, 14:30", "24.12.2026 14:30:00", "2026-12-24T14:30", "24. Dez. 2026, 14:30"])
    assert.equal(read(text, "de", time), "2026-12-24 14:30:00", text);
  for (const text of ["Dec 24, 2026, 2:30 PM", "24 Dec 2026 2:30pm", "Dec 24, 2026, 14:30", "Dec 24 2026 2:30 p.m."])
    assert.equal(read(text, "en-US", time), "2026-12-24 14:30:00", text);
  assert.equal(read("Dec 24, 2026, 12:05 AM", "en-US", time), "2026-12-24 00:05:00");
  assert.equal(read("2026-12-24 02:30", "en-US", time), "2026-12-24 02:30:00");
  assert.equal(read("24 Dec 2026, 02:30:05", "en-GB", time), "2026-12-24 02:30:05");
  assert.equal(read("Dec 24, 2026 2:30", "en-US", time), undefined);
  const wrong = [
    "24.12.2026",
    "24.12.2026, 24:00",
    "24.12.2026 14:60",
    "24.12.2026 14:30:75",
    "31.02.2026 10:00",
    "14:30",
  ];
  for (const text of [...wrong, "24.12.2026 15:30 PM"]) assert.equal(read(text, "de", time), undefined, text);
});

test("the text of a value is read as the same value", () => {
  for (const tag of ["de", "en-US", "en-GB", "en-CA", "en-IN", "en-ZA", "en-AU", "de-CH", "de-AT"]) {
    for (const value of ["2026-01-05", "2024-02-29", "1999-12-31", "2026-09-30", "2026-07-01", "2026-05-31"])
      assert.equal(read(toDateText(value, tag), tag), value);
    for (const value of ["2026-03-01T09:30:00.000Z", "2026-08-31T22:05:07.000Z", "2026-05-10T12:00:00.000Z"])
      assert.equal(parseDate(toDateText(value, tag, "date-time"), tag, "date-time"), value);
  }
  assert.deepEqual([exampleDate("de", "date"), exampleDate("de", "date-time")], ["24.12.2026", "24.12.2026, 14:30"]);
  assert.match(toNativeDate("2026-03-01T09:30:00.000Z", "date-time"), /^2026-03-01T\d\d:\d\d$/);
});
