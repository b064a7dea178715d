import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { programCommand, startCommand, startUnder } from "../support/program.ts";
import { crmIntegrations, type Ended } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs the program as an unprivileged user. */
const uid = 65_534;
const unprivileged = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
const isRoot = process.getuid?.() === 0;
const program = [...programCommand, "version"] as const;
const skip =
  isRoot && spawnSync("setpriv", [...unprivileged.slice(1), ...program]).status === 0
    ? false
    : "needs root and setpriv";

const folder = temporaryFolder();
chmodSync(folder, 0o755);
const acme = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
const user = ["--user", "ana@acme.example"];

/** Runs commands of the program as the unprivileged user, in one process. */
async function runUnprivileged(t: TestContext, ...commands: (readonly string[])[]): Promise<readonly Ended[]> {
  const command = [...unprivileged, process.execPath, "test/support/run-commands.ts", JSON.stringify(commands)];
  const { code, stdout, stderr } = await startCommand(t, command).ended;
  assert.equal(code, 0, stderr);
  const results = JSON.parse(stdout) as readonly Ended[];
  assert.equal(results.length, commands.length);
  return results;
}

async function database(name: string): Promise<string> {
  const data = join(folder, name);
  const { code, stderr } = await crmIntegrations("init", "--data", data, ...acme);
  assert.equal(code, 0, stderr);
  return data;
}

test("a secret that root creates belongs to the owner of the folder", { skip }, async (t) => {
  const backup = join(folder, "backup.db");
  assert.equal((await crmIntegrations("backup", backup, "--data", await database("old"))).code, 0);
  const data = join(folder, "new");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, uid);
  assert.equal((await crmIntegrations("restore", backup, "--data", data)).code, 0);
  assert.equal((await crmIntegrations("token", "--data", data, ...user)).code, 0);
  const secret = statSync(join(data, "admin.secret"));
  assert.deepEqual([secret.uid, secret.gid, secret.mode & 0o777], [uid, uid, 0o600]);
  const asOtherUser = await startUnder(t, unprivileged, "token", "--data", data, ...user).ended;
  assert.deepEqual([asOtherUser.code, asOtherUser.stderr], [0, ""]);
});

const reading: readonly (readonly string[])[] = [
  ["key", "list"],
  ["check"],
  ["dump"],
  ["backup", join(folder, "never.db")],
  ["migrate", "--dry-run"],
  ["serve", "--listen", "127.0.0.1:0"],
  ["load", "fixtures/minimal.json", "--dry-run"],
];

for (const [what, close] of [
  ["a folder", (data: string) => chmodSync(data, 0o700)],
  ["a database", (data: string) => chmodSync(data, 0o755)],
] as const) {
  test(`${what} without read permission isn't reported as missing`, { skip }, async (t) => {
    const data = await database(what.replaceAll(" ", "-"));
    close(data);
    const results = await runUnprivileged(t, ...reading.map((args) => [...args, "--data", data]));
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      const output = stdout + stderr;
      assert.equal(code, 1, output);
      assert.match(
        output,
        /crm\.db is not accessible to this user \(EACCES\)\. Run the command as the owner/,
        reading[index]?.join(" "),
      );
      assert.doesNotMatch(output, /No database at|\n {4}at /);
    }
  });
}

test("a database in a read-only folder is rejected in one line that names it", { skip }, async (t) => {
  const data = await database("closed");
  chownSync(join(data, "crm.db"), uid, uid);
  chmodSync(data, 0o755);
  const commands = [["dump"], ["migrate", "--dry-run"], ["backup", join(folder, "never.db")], ["check"]];
  const results = await runUnprivileged(t, ...commands.map((args) => [...args, "--data", data]));
  for (const { code, stdout, stderr } of results) {
    assert.equal(code, 1);
    const way = `Check the free space and permissions of ${data}`;
    assert.ok(`${stdout}${stderr}`.includes(`${data}/crm.db can't be opened: `), stdout + stderr);
    assert.ok(`${stdout}${stderr}`.includes(way), stdout + stderr);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
});

test("a new database in a folder of another user is rejected in one line that names the folder", {
  skip,
}, async (t) => {
  const data = join(folder, "others");
  mkdirSync(data, { mode: 0o755 });
  const commands = [data, join(data, "new")].flatMap((path) => [
    ["serve", "--listen", "127.0.0.1:0", "--data", path],
    ["init", ...acme, "--data", path],
  ]);
  const results = await runUnprivileged(t, ...commands);
  for (const [index, { code, stderr }] of results.entries()) {
    const path = commands[index]?.at(-1);
    const remedy = `This user must be able to write to ${path}.`;
    assert.equal(stderr, `crm-integrations: ${path}/crm.db can't be created: permission denied (EACCES). ${remedy}\n`);
    assert.equal(code, 1);
  }
});

test("a path below a file is reported as missing", async () => {
  const data = join(dirname(new URL(import.meta.url).pathname), "program.ts", "data");
  assert.match((await crmIntegrations("key", "list", "--data", data)).stderr, /No database at/);
});
