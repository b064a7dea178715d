import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("every file that docs/project/architecture.md names exists", () => {
  const text = readFileSync("docs/project/architecture.md", "utf8");
  const files = [...text.matchAll(/`((?:lib|bin|test)\/[\w/.-]+)`/g)].map(([, file = ""]) => file);
  assert.ok(files.length > 30);
  assert.deepEqual(
    files.filter((file) => !existsSync(file)),
    [],
  );
});
