import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { crmIntegrations } from "../../support/run-program.ts";

for (const [name, file] of [
  ["dlt", "docs/sources/crm_source.py"],
  ["airbyte", "docs/sources/airbyte.yaml"],
] as const) {
  test(`source ${name} prints ${file}`, async () => {
    const { code, stdout } = await crmIntegrations("source", name);
    assert.deepEqual([code, stdout], [0, readFileSync(file, "utf8")]);
  });
}
