import assert from "node:assert/strict";
import { test } from "node:test";
import { de } from "../../console/texts/de.ts";
import { en } from "../../console/texts/en.ts";
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
  assert.deepEqual([...texts.de.keys()].sort(), [...texts.en.keys()].sort());
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

test("each code of an error has a text for people", () => {
  for (const { errors } of [en, de]) {
    assert.deepEqual(Object.keys(errors.codes).sort(), [...errorCodes].sort());
    assert.deepEqual(Object.keys(errors.fields).sort(), [...fieldErrorCodes].sort());
  }
});
