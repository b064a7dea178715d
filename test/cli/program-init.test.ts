import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programCommand, startCommand } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

test("init and load create no database if their input is invalid", async () => {
  const data = join(folder, "wrong");
  const names = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana"];
  const init = await crmIntegrations("init", "--data", data, ...names);
  assert.equal(init.code, 1);
  assert.match(init.stderr, /email address/);
  const [cut, faulty] = [join(folder, "cut.json"), join(folder, "faulty.json")];
  writeFileSync(cut, '{"tenant":{"name":"Acm');
  writeFileSync(faulty, '{"tenant":{"nam":"Acme"}}');
  const load = await crmIntegrations("load", cut, faulty, "--data", data);
  assert.equal(load.code, 1);
  assert.match(load.stderr, /cut\.json[\s\S]*faulty\.json[\s\S]*2 of 2 tenants were not loaded\.\n$/);
  assert.ok(!existsSync(data));
  const good = await crmIntegrations("load", cut, "fixtures/minimal.json", "--data", data);
  assert.match(good.stdout, /minimal\.json: .* loaded\.\n$/);
});

const skip =
  spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0 ? false : "no script(1) for a terminal here";
for (const [name, sign] of [
  ["Ctrl-C", "\x03"],
  ["Ctrl-D", "\x04"],
] as const) {
  test(`${name} at a prompt of init cancels it in one line and creates nothing`, { skip }, async (t) => {
    const data = join(folder, name);
    const words = [...programCommand, "init", "--data", data];
    const { child, waitForOutput, ended } = startCommand(t, ["script", "-qec", words.join(" "), "/dev/null"]);
    await waitForOutput(/your company\): /);
    child.stdin.write("Acme\r");
    await waitForOutput(/admin: /);
    child.stdin.write(sign);
    const { code, stdout } = await ended;
    assert.match(stdout, /\r\ncrm-integrations: Canceled\. Nothing was created\.\r\n$/);
    assert.doesNotMatch(stdout, /AbortError|at Interface/);
    assert.equal(code, 130);
    assert.ok(!existsSync(data));
  });
}
