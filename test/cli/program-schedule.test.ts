import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileTimestamp } from "../../bin/cli/format.ts";
import { BackupSchedule } from "../../bin/server/backup-schedule.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { programCommand, serving, tenantFolder } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const { path, file } = tenantFolder(testTenant(1));
const program = programCommand;
/** A backup program that only copies the file, for tests of when a backup is due and which are removed. */
const copy = 'require("node:fs").copyFileSync(process.argv.at(-3) + "/crm.db", process.argv.at(-1))';
const copyCommand = [process.execPath, "-e", copy, "--"] as const;
const [hour, noon] = [3_600_000, Date.parse("2026-03-01T12:00:00.000Z")];
let folders = 0;

/** Creates a schedule of one backup per hour in a new folder, which keeps two. Returns what it reports. */
async function scheduled(command: typeof program | typeof copyCommand, make = true) {
  const data = path(`data-${++folders}`);
  if (make) await sqliteStorage({ file: join(data, "crm.db") }).close();
  const dir = join(data, "backups");
  const reports: string[] = [];
  const report = (error: unknown): number => reports.push((error as Error).message);
  const made = () => new BackupSchedule({ data, dir, everyMs: hour, keep: 2, command, env: process.env, report });
  return { data, dir, reports, made, schedule: made() };
}

const nameAt = (hours: number, trigger = "scheduled"): string => `${trigger}-${fileTimestamp(noon + hours * hour)}.db`;

test("BackupSchedule creates a backup only when one is due and keeps the newest two", async () => {
  const { dir, reports, schedule, made } = await scheduled(program);
  await schedule.backUpIfDue(noon);
  assert.deepEqual(fs.readdirSync(dir), [nameAt(0)]);
  await schedule.backUpIfDue(noon + hour - 1);
  assert.deepEqual(fs.readdirSync(dir), [nameAt(0)]);
  await schedule.backUpIfDue(noon + hour);
  // A new schedule counts from the newest backup of the previous one.
  await made().backUpIfDue(noon + 1.5 * hour);
  assert.deepEqual(fs.readdirSync(dir), [nameAt(0), nameAt(1)]);
  await made().backUpIfDue(noon + 3 * hour);
  assert.deepEqual([fs.readdirSync(dir), reports], [[nameAt(1), nameAt(3)], []]);
  assert.deepEqual([fs.statSync(dir).mode & 0o777, fs.statSync(join(dir, nameAt(3))).mode & 0o777], [0o700, 0o600]);
});

test("backups of admins neither remove nor postpone scheduled ones", async () => {
  const { dir, reports, schedule } = await scheduled(copyCommand);
  await schedule.backUpIfDue(noon);
  for (const hours of [0.25, 0.5, 0.75]) await schedule.backUpNow(noon + hours * hour);
  await schedule.backUpIfDue(noon + hour);
  const requested = [0.5, 0.75].map((hours) => nameAt(hours, "requested"));
  assert.deepEqual([fs.readdirSync(dir).sort(), reports], [[...requested, nameAt(0), nameAt(1)], []]);
});

test("BackupSchedule removes only files that are named like its own backups", async () => {
  const { dir, schedule } = await scheduled(copyCommand);
  const others = ["crm-2020-01-01T00-00-00-000Z.db", "scheduled-mine.db", "scheduled-2020-13-45T00-00-00-000Z.db", "x"];
  fs.mkdirSync(dir);
  for (const name of [...others, nameAt(-3), nameAt(-2)]) fs.writeFileSync(join(dir, name), "");
  await schedule.backUpIfDue(noon);
  assert.deepEqual(fs.readdirSync(dir).sort(), [...others, nameAt(-2), nameAt(0)].sort());
});

test("BackupSchedule reports a failed backup, leaves no file and retries when the next one is due", async () => {
  const { data, dir, reports, schedule } = await scheduled(program, false);
  await schedule.backUpIfDue(noon);
  await schedule.backUpIfDue(noon + hour - 1);
  const cause = `crm-integrations: No database at ${join(data, "crm.db")}.`;
  const failed = `The backup ${join(dir, nameAt(0))} failed: ${cause}`;
  assert.deepEqual([reports, fs.readdirSync(dir)], [[failed], []]);
  assert.equal(schedule.status().errorCode, "failed");
  await sqliteStorage({ file: join(data, "crm.db") }).close();
  await schedule.backUpIfDue(noon + hour);
  assert.deepEqual([reports.length, fs.readdirSync(dir)], [1, [nameAt(1)]]);
  assert.deepEqual([schedule.status().error, schedule.status().errorCode], [null, undefined]);
  fs.rmSync(dir, { recursive: true });
  fs.writeFileSync(dir, "");
  await schedule.backUpNow(noon + hour);
  fs.rmSync(dir);
  assert.equal(schedule.status().errorCode, "folder_not_writable");
});

test("BackupSchedule creates and keeps a due backup after the clock was set back", async () => {
  const { dir, schedule } = await scheduled(copyCommand);
  fs.mkdirSync(dir);
  for (const hours of [1000, 1001]) fs.writeFileSync(join(dir, nameAt(hours)), "");
  await schedule.backUpIfDue(noon);
  await schedule.backUpIfDue(noon + 1);
  assert.deepEqual(fs.readdirSync(dir), [nameAt(0), nameAt(1001)]);
});

test("BackupSchedule.stop() ends a running backup and removes its partial file", { timeout: 60_000 }, async () => {
  const { data, dir, reports } = await scheduled(copyCommand);
  // A backup program that never completes its file.
  const code = `require("node:fs").writeFileSync(process.argv.at(-1) + ".new-0123456789ab", "half"); setInterval(() => {}, 1e6)`;
  const report = (error: unknown): number => reports.push((error as Error).message);
  const slow = [process.execPath, "-e", code, "--"] as const;
  const schedule = new BackupSchedule({ data, dir, everyMs: hour, keep: 2, command: slow, env: process.env, report });
  fs.mkdirSync(dir);
  const changes = fs.promises.watch(dir, { signal: AbortSignal.timeout(50_000) });
  const making = schedule.backUpIfDue(noon);
  for await (const _ of changes) if (fs.readdirSync(dir).length > 0) break;
  assert.deepEqual(fs.readdirSync(dir), [`${nameAt(0)}.new-0123456789ab`]);
  await schedule.stop();
  await making;
  assert.deepEqual([fs.readdirSync(dir), reports], [[], []]);
});

test("serve --backup-every creates a backup after its start that restore accepts", {
  timeout: 60_000,
}, async (t) => {
  const [data, dir] = [path("served"), path("elsewhere")];
  fs.mkdirSync(dir);
  const changes = fs.promises.watch(dir, { signal: AbortSignal.timeout(50_000) });
  const more = ["--backup-every", "24", "--backup-dir", dir];
  const { child, ended } = await serving(t, "--data", data, "--fixtures", file, ...more);
  let name: string | undefined;
  for await (const _ of changes) {
    name = fs.readdirSync(dir).find((each) => each.endsWith(".db"));
    if (name !== undefined) break;
  }
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ""]);
  const restored = await crmIntegrations("restore", join(dir, String(name)), "--data", path("again"), "--json");
  assert.equal(restored.code, 0, restored.stderr);
});

test("serve --backup-every rejects an in-memory database", { timeout: 60_000 }, async () => {
  const options = ["--fixtures", file, "--backup-every", "1", "--listen", "127.0.0.1:0"];
  const { code, stderr } = await crmIntegrations("serve", ...options);
  const message = "--backup-every requires a database in a folder. Set --data.";
  assert.deepEqual([code, stderr], [2, `crm-integrations: ${message}\nTry: crm-integrations serve --help\n`]);
});

for (const [what, dir, reason] of [
  ["can't be created", "/proc/crm", "no such file or directory"],
  ["is a file", file, "file already exists"],
] as const) {
  const skip = fs.existsSync("/proc/self") ? false : "no /proc here";
  test(`serve rejects a backup folder that ${what} and creates no data folder`, {
    timeout: 60_000,
    skip,
  }, async () => {
    const data = path("rejected");
    const more = ["--backup-every", "1", "--backup-dir", dir];
    const { code: exit, stderr } = await crmIntegrations("serve", "--data", data, "--listen", "127.0.0.1:0", ...more);
    const message = `Cannot write backups to ${dir}: ${reason}. Choose another folder with --backup-dir.`;
    assert.deepEqual([exit, stderr], [1, `crm-integrations: ${message}\n`]);
    assert.ok(!fs.existsSync(data));
  });
}

test("init and backup exit with code 1 and report ENOENT if their folder can't be created", {
  timeout: 60_000,
}, async (t) => {
  if (!fs.existsSync("/proc/self")) return t.skip("no /proc here");
  const acme = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
  for (const args of [
    ["init", ...acme, "--data", "/proc/crm"],
    ["backup", "/proc/crm/", "--data", path("served")],
  ]) {
    const { code, stderr } = await crmIntegrations(...args);
    assert.equal(code, 1);
    assert.match(stderr, /^crm-integrations: ENOENT.*'\/proc\/crm\/?'\n$/);
  }
});
