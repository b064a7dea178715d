import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { crmIntegrations } from "../support/run-program.ts";
import { run } from "../support/serve-demo.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const program = "/usr/bin/env";

async function lineOf(name: string, ...args: readonly string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await crmIntegrations("service", ...args);
  assert.equal(code, 0, stderr);
  return new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1];
}

test("the unit names the program by its absolute path", async () => {
  assert.equal(
    await lineOf("ExecStart", "--program", relative(process.cwd(), program)),
    `${program} serve --data /var/lib/crm-integrations --listen 127.0.0.1:8080`,
  );
  assert.equal(
    await lineOf("ExecStart", "--program", "/opt/100% CRM/crm", "--listen", "[::1%$a]:8080"),
    '"/opt/100%% CRM/crm" serve --data /var/lib/crm-integrations --listen "[::1%%$$a]:8080"',
  );
});

test("the unit of the package starts Node with the program's file", async () => {
  const [node, script] = ["/usr/bin/node", "/usr/lib/node_modules/crm-integrations/dist/bin/crm-integrations.js"];
  const entry = new URL("../../bin/crm-integrations.ts", import.meta.url).href;
  const wrapped = `Object.assign(process, { execPath: "${node}", execArgv: [], argv: ["", "${script}", "service"] }); await import("${entry}");`;
  const { stdout, stderr } = await run(process.execPath, ["--import", "tsx", "--input-type=module", "-e", wrapped]);
  assert.ok(stdout.includes(`\nExecStart=${node} ${script} serve --data `), stdout + stderr);
});

test("the unit restarts a server without a limit, but not after invalid usage", async () => {
  assert.equal(await lineOf("StartLimitIntervalSec", "--program", program), "0");
  assert.equal(await lineOf("RestartPreventExitStatus", "--program", program), "2");
});

test("the unit for a port below 1024 allows binding it, and other units don't", async () => {
  for (const [listen, right] of [
    ["0.0.0.0:80", "CAP_NET_BIND_SERVICE"],
    ["0.0.0.0:1024", ""],
    ["127.0.0.1:0", ""],
  ] as const) {
    for (const name of ["AmbientCapabilities", "CapabilityBoundingSet"])
      assert.equal(await lineOf(name, "--program", program, "--listen", listen), right);
  }
});

const rejected: readonly (readonly [what: string, args: readonly string[], says: RegExp])[] = [
  ["a program that the unit hides", ["--program", "/home/ana/crm"], /can't access \/home\/ana\/crm/],
  ["a folder elsewhere", ["--program", program, "--data", "/srv/crm"], /below \/var\/lib.*"\/srv\/crm"/],
  ["/var/lib itself", ["--program", program, "--data", "/var/lib/x/.."], /below \/var\/lib/],
  ["a folder with a space", ["--program", program, "--data", "/var/lib/my crm"], /--data must be a folder/],
  ["a folder with a %", ["--program", program, "--data", "/var/lib/crm%n"], /--data must be a folder/],
  ["an address that is none", ["--program", program, "--listen", "nonsense"], /--listen must be HOST:PORT/],
  ["a path that systemd takes for more", ["--program", '/opt/"crm"'], /systemd can't start a path with a quote/],
  ["a line break", ["--program", "/opt/crm\nUser=root"], /control characters/],
];
for (const [what, args, says] of rejected) {
  test(`no unit is printed for ${what}`, async () => {
    const { code, stdout, stderr } = await crmIntegrations("service", ...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, says);
  });
}

test("no unit is printed for the source of the program", async () => {
  const { code, stderr } = await run(process.execPath, ["--import", "tsx", "bin/crm-integrations.ts", "service"]);
  assert.equal(code, 2);
  assert.match(stderr, /--program PATH/);
});

const skip = spawnSync("systemd-analyze", ["--version"]).status === 0 ? false : "no systemd-analyze here";
test("systemd-analyze accepts the unit", { skip }, async () => {
  const args = ["--program", program, "--data", "/var/lib/crm/one", "--listen", "0.0.0.0:80"];
  const unit = join(folder, "crm-integrations-trial.service");
  writeFileSync(unit, (await crmIntegrations("service", ...args)).stdout);
  const { code, stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", unit]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /crm-integrations-trial/);
});

test("the unit lets the service write to the backup folder, and --out writes it to a file", async () => {
  const out = join(folder, "crm.service");
  const { code, stdout, stderr } = await crmIntegrations(
    ...["service", "--program", program, "--backup-dir", "/mnt/backups", "--out", out],
  );
  assert.deepEqual([code, stdout], [0, ""], stderr);
  assert.match(readFileSync(out, "utf8"), /--backup-dir \/mnt\/backups\n[\s\S]*^ReadWritePaths=\/mnt\/backups$/m);
});

test("-h prints the help of a command, and an invalid option names the help of the command", async () => {
  assert.match((await crmIntegrations("key", "list", "-h")).stdout, /^Usage: crm-integrations key list/);
  assert.match((await crmIntegrations("key", "list", "--nope")).stderr, /Try: crm-integrations key list --help\n$/);
});
