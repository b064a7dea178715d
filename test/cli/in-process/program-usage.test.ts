import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { crmIntegrations } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const data = join(temporaryFolder(), "data");

for (const [args, command] of [
  [["key", "list", "--nonsense"], "key list "],
  [["key", "nonsense"], "key "],
  [["import", "x.csv"], "import "],
  [["nonsense"], ""],
] as const) {
  test(`a usage error of "${args.join(" ")}" names the help of its command`, async () => {
    const { code, stderr } = await crmIntegrations(...args);
    assert.equal(code, 2);
    assert.equal(stderr.split("\n").at(-2), `Try: crm-integrations ${command}--help`);
  });
}

test("a usage error of --entity names the kinds of records, and the rejected value", async () => {
  const { stderr: absent } = await crmIntegrations("import", "x.csv");
  assert.match(absent, /--entity must be one of account, contact, opportunity, task, note\.\n/);
  const { stderr: unknown } = await crmIntegrations("export", "x.csv", "--entity", "acount");
  assert.match(unknown, /--entity must be one of account, contact, opportunity, task, note, not "acount"\.\n/);
});

test("key list shows scopes and expiry", async () => {
  const admin = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
  await crmIntegrations("init", "--data", data, ...admin);
  const shop = ["--integration", "Shop", "--scopes", "tasks:read,tasks:write", "--expires", "2031-01-01T00:00:00Z"];
  await crmIntegrations("key", "create", "--data", data, ...shop);
  const { stdout } = await crmIntegrations("key", "list", "--data", data);
  assert.match(stdout, /^id .* expiresAt +scopes$/m);
  assert.match(stdout, / Shop .* 2031-01-01T00:00:00\S+ +tasks:read,tasks:write$/m);
});
