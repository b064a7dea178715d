import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeApiKey } from "#lib";
import { programCommand, startCommand } from "../support/program.ts";
import { crmIntegrations, temporaryFolder } from "../support/serve-demo.ts";

const folder = temporaryFolder();
const firstKey = makeApiKey("live", randomBytes);

for (const source of ["CRM_FIRST_KEY", "CRM_FIRST_KEY_FILE"] as const) {
  test(`serve creates the first tenant with CRM_TENANT_NAME, CRM_ADMIN_EMAIL and ${source}`, async (t) => {
    const data = join(folder, source);
    const keyFile = join(folder, "first-key");
    writeFileSync(keyFile, `${firstKey}\n`, { mode: 0o600 });
    const secret = source === "CRM_FIRST_KEY" ? firstKey : keyFile;
    const env = { ...process.env, CRM_TENANT_NAME: "Acme", CRM_ADMIN_EMAIL: "ana@acme.example", [source]: secret };
    const command = [...programCommand, "serve", "--listen", "127.0.0.1:0", "--data", data];
    const { said, child, ended } = startCommand(t, command, { env });
    const banner = await said(/Ctrl-C/);
    const [, baseUrl] = /running at (\S+)/.exec(banner) ?? [];
    const response = await fetch(`${baseUrl}/me`, { headers: { "x-api-key": firstKey } });
    assert.equal(response.status, 200, await response.text());
    assert.match(banner, /admin ana@acme\.example/);
    child.kill("SIGTERM");
    const { stdout, stderr } = await ended;
    assert.ok(!(stdout + stderr).includes(firstKey), "the key isn't printed");
    assert.equal((await crmIntegrations("key", "list", "--data", data, "--tenant", "Acme")).code, 0);
    for (const name of readdirSync(data))
      assert.ok(!readFileSync(join(data, name)).includes(firstKey), `${name} has only the hash of the key`);
  });
}

test("serve rejects a malformed CRM_FIRST_KEY and creates nothing", async (t) => {
  const data = join(folder, "malformed");
  const env = { ...process.env, CRM_FIRST_KEY: `${firstKey.slice(0, -1)}!` };
  const { ended } = startCommand(t, [...programCommand, "serve", "--listen", "127.0.0.1:0", "--data", data], { env });
  const { code, stderr } = await ended;
  assert.equal(code, 1, stderr);
  assert.match(stderr, /must be an API key with a valid checksum/);
  assert.ok(!stderr.includes(firstKey.slice(9, -1)), "the key isn't printed");
  assert.equal((await crmIntegrations("key", "list", "--data", data)).code, 1);
});
