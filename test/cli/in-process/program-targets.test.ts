import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { importCrm } from "../../support/import-crm.ts";
import { crmIntegrations } from "../../support/run-program.ts";

const crm = await importCrm();

for (const [what, args, says] of [
  ["a backup to standard output", ["backup", "-"], /A backup can't be written to stdout, because the file is checked/],
  ["a folder in place of a backup", ["restore", crm.data], /data is a folder\. Specify a backup file\./],
] as const) {
  test(`${what} is a usage error with an explanation`, async () => {
    const { code, stdout, stderr } = await crmIntegrations(...args, "--data", crm.data);
    assert.deepEqual([code, stdout, existsSync("-")], [2, "", false], stderr);
    assert.match(stderr, says);
  });
}
