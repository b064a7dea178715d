import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noPostgres, quickSettings, startPostgres } from "../support/postgres-server.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("an import into PostgreSQL creates each row once, rejects existing rows, and the export contains them", {
  skip: noPostgres,
  timeout: 300_000,
}, async (t) => {
  const server = await startPostgres(quickSettings);
  t.after(() => server.stop());
  const storageArgs = ["--database", server.url];
  const admin = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
  const made = await crmIntegrations("init", ...storageArgs, ...admin);
  assert.equal(made.code, 0, made.stderr);
  const file = join(temporaryFolder(), "accounts.csv");
  const names = Array.from({ length: 600 }, (_, row) => (row === 550 ? "row 7" : `Row ${row}`));
  writeFileSync(file, `name\n${names.join("\n")}\n`);
  const run = async () => {
    const { stdout, stderr } = await crmIntegrations("import", file, "--entity", "account", "--json", ...storageArgs);
    const { created, unchanged, rejected } = JSON.parse(stdout || stderr);
    return [created, unchanged, rejected];
  };
  assert.deepEqual(await run(), [599, 0, 1]);
  assert.deepEqual(await run(), [0, 599, 1]);
  const { stdout } = await crmIntegrations("export", "--entity", "account", "--fields", "name", ...storageArgs);
  assert.deepEqual(stdout.trim().split("\n").slice(1).toSorted(), names.filter((_, row) => row !== 550).toSorted());
});
