import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { findBannedWords } from "../language.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the code, the tests, the docs and the API description have no banned words", () => {
  assert.deepEqual(findBannedWords(), []);
});

test("findBannedWords returns the file, line and word, also within an identifier", (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "a.ts");
  writeFileSync(file, "const ok = 1;\n// An administrator.\nconst toldTwice = 2;\n// A blank line.\n");
  const found = findBannedWords([file]).map((line) => stripVTControlCharacters(line).slice(folder.length + 1));
  assert.deepEqual(found, ["a.ts:2: administrator: // An administrator.", "a.ts:3: told: const toldTwice = 2;"]);
});

test("findBannedWords skips the list of the words", () => {
  assert.deepEqual(findBannedWords(["test/language.ts"]), []);
});
