import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { de } from "../../console/texts/de.ts";
import { en } from "../../console/texts/en.ts";
import { backupErrorCodes, problemCodes } from "../../lib/api/system-tools.ts";
import { errorCodes, fieldErrorCodes } from "../../lib/model/errors.ts";

/** Returns each text or function by its path. */
function flatten(texts: object, path = ""): readonly (readonly [path: string, text: unknown])[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    const at = `${path}/${name}`;
    return typeof text === "object" ? flatten(text, at) : [[at, text] as const];
  });
}

const texts = { en: new Map(flatten(en)), de: new Map(flatten(de)) };

test("the console has each text in each language", () => {
  // In English, the words of a field's name can be its label.
  const needed = [...texts.de.keys()].filter((path) => !path.startsWith("/fields/") || texts.en.has(path));
  assert.deepEqual(needed.sort(), [...texts.en.keys()].sort());
  const empty = [...texts.de].filter(([, text]) => text === "");
  assert.deepEqual(empty, []);
});

test("a text in German has the values of the English one", () => {
  const functions = [...texts.en].filter(([, text]) => typeof text === "function") as [string, () => unknown][];
  const parameters = functions.map(([path, { length }]) => [path, length]);
  assert.deepEqual(
    parameters.map(([path]) => [path, (texts.de.get(String(path)) as () => unknown).length]),
    parameters,
  );
});

test("counts have the format of the language", () => {
  const counts = { created: 1_200, updated: 1_200, unchanged: 1_200, rejected: 1_200 };
  const changes = { changed: 1_200, unchanged: 1_200, rejected: 1_200 };
  const count = { count: 1_200, isMinimum: false };
  const shown = [en, de].flatMap(({ bulk, files, history, overview, records, requests, setUp }) => [
    ...[files.summary(counts, false), files.first(1_200, 1_200), bulk.summary(changes, true)],
    ...[bulk.selected(1_200), bulk.changeNow(1_200), bulk.archiveNow(1_200), history.shown(1_200)],
    ...[records.shown(1_200, true), records.shownOf(1_200, count), requests.written(1_200)],
    ...[setUp.impact.missing(1_200, 1_200), setUp.impact.missing(0, 1_200), setUp.impact.more(1_200)],
    overview.failing("Shop", 1_200, 1_200, ""),
  ]);
  assert.deepEqual(
    shown.filter((text) => text.includes("1200") || !text.includes("1,200")),
    [],
  );
});

test("each code of an error has a text for people", () => {
  for (const { errors, system } of [en, de]) {
    assert.deepEqual(Object.keys(errors.codes).sort(), [...errorCodes].sort());
    assert.deepEqual(Object.keys(errors.fields).sort(), [...fieldErrorCodes].sort());
    assert.deepEqual(Object.keys(system.problems).sort(), [...problemCodes].sort());
    assert.deepEqual(Object.keys(system.backupErrors).sort(), [...backupErrorCodes].sort());
  }
});

/** Reasons that need no text: the code says enough, the console shows another screen, or it sends no such request. */
const withoutText = ["expired", "name_differs", "not_an_admin", "other_session"];

test("each reason of an error has a text for people", () => {
  const folders = ["api", "console", "endpoints"].map((name) => new URL(`../../lib/${name}/`, import.meta.url));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => new URL(`${name}`, folder)),
  );
  const sources = files.filter(({ pathname }) => pathname.endsWith(".ts")).map((file) => readFileSync(file, "utf8"));
  const patterns = [
    /ApiError\([^;]*?reason: "(\w+)"/g,
    /(?:stateConflict|unauthorized|passkeyError)\([^;]*?, "([a-z]\w+)"/g,
  ];
  const found = sources.flatMap((source) =>
    patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] ?? "")),
  );
  const reasons = [...new Set(found)].filter((reason) => !withoutText.includes(reason));
  assert.ok(reasons.length > 20, reasons.join());
  const missing = [en, de].map(({ errors }) => reasons.filter((reason) => !Object.hasOwn(errors.reasons, reason)));
  assert.deepEqual(missing, [[], []]);
});
