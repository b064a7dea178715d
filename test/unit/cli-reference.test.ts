import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cliReference } from "../../build/cli-reference.ts";

for (const [path, text] of Object.entries(cliReference())) {
  test(`${path} is up to date`, () => {
    assert.equal(readFileSync(path, "utf8"), text, "Run npm run cli-reference.");
  });
}
