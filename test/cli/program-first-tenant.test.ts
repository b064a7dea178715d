import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeApiKey } from "../../lib/index.ts";
import { start } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const key = makeApiKey("live", randomBytes);

test("serve creates the first tenant with the name, the admin and the API key of its settings", async (t) => {
  const [data, file] = [join(folder, "data"), join(folder, "key")];
  writeFileSync(file, `${key}\n`);
  chmodSync(file, 0o600);
  const env = { CRM_TENANT_NAME: "Acme", CRM_ADMIN_EMAIL: "ana@acme.example", CRM_FIRST_KEY_FILE: file };
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  t.after(() => Object.keys(env).forEach((name) => void delete process.env[name]));
  const started = start(t, "serve", "--listen", "127.0.0.1:0", "--data", data);
  const banner = await started.waitForOutput(/Ctrl-C/);
  assert.match(banner, /admin ana@acme\.example/);
  assert.ok(!banner.includes(key), "a log must not contain the key");
  const [, baseUrl = ""] = /running at (\S+)/.exec(banner) ?? [];
  assert.equal((await fetch(`${baseUrl}/me`, { headers: { "x-api-key": key } })).status, 200, banner);
  started.child.kill("SIGTERM");
  assert.equal((await started.ended).code, 0);
  assert.ok(!readFileSync(join(data, "crm.db")).includes(key), "only the hash is stored");
  assert.match((await crmIntegrations("dump", "--data", data)).stdout, /"name": ?"Acme"/);
});

test("serve rejects a malformed first tenant before it creates anything, and names each setting", async (t) => {
  process.env.CRM_ADMIN_EMAIL = "ana";
  t.after(() => void delete process.env.CRM_ADMIN_EMAIL);
  const { code, stderr } = await crmIntegrations("serve", "--data", join(folder, "new"), "--first-key", "secret");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^crm-integrations: CRM_ADMIN_EMAIL must be an email address.*\n {2}--first-key must be an API key/,
  );
  assert.equal(existsSync(join(folder, "new")), false);
});
