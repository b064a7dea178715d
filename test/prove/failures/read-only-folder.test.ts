import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { programCommand, serving, servingUnder } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, size } from "../size.ts";
import { tenantWithKeys, writeTenantFile } from "./many-keys.ts";
import { failedStart, hasCommand, smallDisk } from "./small-disk.ts";
import { Ledger } from "./task-ledger.ts";

const harness = "read-only-folder";
const timeout = size(120_000, 1_200_000);
const manyKeys = tenantWithKeys(40);

/** Makes system calls on the WAL fail, in all threads of a process, until the returned function is called. */
async function failing(t: TestContext, pid: number, fault: string, log: string): Promise<() => Promise<void>> {
  const call = fault.split(":")[0] ?? "";
  const options = ["-f", "-q", "-e", `trace=${call}`, "-e", `inject=${fault}`, "-P", log, "-o", "/dev/null"];
  const child = spawn("strace", [...options, "-p", `${pid}`], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  const tracer = () => /^TracerPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  while (tracer() !== `${child.pid}` && child.exitCode === null) await new Promise(setImmediate);
  assert.equal(child.exitCode, null, "strace could not attach");
  return async () => {
    child.kill("SIGINT");
    await once(child, "close");
  };
}

/** Errors of a write or a sync. */
const faults = ["pwrite64:error=EIO", "pwrite64:error=EROFS", "pwrite64:error=ENOSPC", "fsync,fdatasync:error=EIO"];

for (const fault of faults) {
  test(`while ${fault.replace(":error=", " of the WAL returns ")}, nothing is lost and reads work, and writes work again after it`, {
    timeout,
  }, async (t) => {
    if (!hasCommand(t, "strace", "-o", "/dev/null", "true")) return;
    const folder = temporaryFolder(t);
    const run = () =>
      serving(t, "--data", join(folder, "data"), "--fixtures", writeTenantFile(join(folder, "crowd.json"), manyKeys));
    const program = await run();
    const ledger = new Ledger(program.greeting.baseUrl, manyKeys.keys);
    const rounds = size(2, 30);
    for (let round = 0; round < rounds; round++) {
      await ledger.make();
      const stop = await failing(t, program.greeting.pid, fault, join(folder, "data", "crm.db-wal"));
      for (let index = 0; index < 10; index++) assert.equal((await ledger.make()).status, 503);
      assert.equal((await ledger.read("/tasks?limit=1")).status, 200);
      await ledger.assertStored();
      await stop();
      assert.equal(await ledger.retry(), 10);
    }
    program.child.kill("SIGKILL");
    await program.ended;
    ledger.baseUrl = (await run()).greeting.baseUrl;
    await ledger.assertAllCreated();
    figures(t, harness, { faults: rounds, tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
  });
}

test("a folder that becomes read-only loses nothing, a start there fails in one line, and succeeds once it is writable", {
  timeout,
}, async (t) => {
  const otherUser = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  if (!hasCommand(t, "setpriv", ...otherUser.slice(1), ...programCommand, "version")) return;
  const folder = temporaryFolder(t);
  const data = join(folder, "data");
  fs.mkdirSync(data);
  for (const path of [folder, data]) fs.chownSync(path, 65_534, 65_534);
  const args = ["--data", data, "--fixtures", writeTenantFile(join(folder, "crowd.json"), manyKeys)];
  const program = await servingUnder(t, otherUser, ...args);
  const ledger = new Ledger(program.greeting.baseUrl, manyKeys.keys);
  await ledger.make();
  fs.chmodSync(data, 0o500);
  for (let index = 0; index < 20; index++) await ledger.make();
  assert.equal((await ledger.read("/tasks?limit=1")).status, 200);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
  for (const path of fs.readdirSync(data)) if (path.startsWith("crm.db")) fs.chmodSync(join(data, path), 0o400);
  const line = await failedStart(t, otherUser, ...args);
  assert.match(line, new RegExp(`^crm-integrations: ${data}/crm.db can't be opened: .+ Check the free space and `));
  for (const path of fs.readdirSync(data)) if (path.startsWith("crm.db")) fs.chmodSync(join(data, path), 0o600);
  fs.chmodSync(data, 0o700);
  ledger.baseUrl = (await servingUnder(t, otherUser, ...args)).greeting.baseUrl;
  await ledger.retry();
  await ledger.assertAllCreated();
  figures(t, harness, { tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
});

test("on a read-only disk a start fails in one line, and succeeds once the disk is writable", {
  timeout,
}, async (t) => {
  const disk = smallDisk(t, 16_384);
  if (disk === undefined) return;
  const folder = temporaryFolder(t);
  const data = join(disk, "data");
  const args = [
    "--data",
    data,
    "--fixtures",
    writeTenantFile(join(folder, "crowd.json"), manyKeys),
    "--min-free-mb",
    "0",
  ];
  const program = await serving(t, ...args);
  const ledger = new Ledger(program.greeting.baseUrl, manyKeys.keys);
  await ledger.make();
  program.child.kill("SIGKILL");
  await program.ended;
  const remount = (mode: string): void => assert.equal(spawnSync("mount", ["-o", `remount,${mode}`, disk]).status, 0);
  const bytes = () => ["crm.db", "crm.db-wal"].map((name) => fs.readFileSync(join(data, name)).toString("base64"));
  const before = bytes();
  remount("ro");
  assert.match(await failedStart(t, [], ...args), new RegExp(`^crm-integrations: .*${data}`));
  assert.ok(bytes().join() === before.join(), "the files on the read-only disk were changed");
  remount("rw");
  ledger.baseUrl = (await serving(t, ...args)).greeting.baseUrl;
  await ledger.assertAllCreated();
});
