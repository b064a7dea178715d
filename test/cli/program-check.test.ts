import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import Database from "better-sqlite3";
import { checkDatabaseFile } from "../../bin/check/sqlite.ts";
import { fill, smallDisk } from "../prove/failures/small-disk.ts";
import { serving, tenantFolder } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { corruptIndex } from "../support/sqlite-copies.ts";
import { testTenant } from "../support/tenants.ts";

type Finding = { readonly name: string; readonly state: string; readonly message: string };

const { path, file } = tenantFolder(testTenant(1));
let folders = 0;

async function loaded(): Promise<string> {
  const data = path(`data-${++folders}`);
  assert.equal((await crmIntegrations("load", file, "--data", data)).code, 0);
  return data;
}

async function check(data: string, ...more: string[]): Promise<{ code: number | null; found: Finding[] }> {
  const { code, stdout, stderr } = await crmIntegrations("check", "--data", data, "--json", ...more);
  const { ok, findings } = JSON.parse(stdout);
  assert.deepEqual([ok, stderr === ""], [code === 0, code === 0]);
  return { code, found: findings };
}

/** Those that are not ok. The tenants of tests have test keys. */
function bad(found: readonly Finding[]): readonly Finding[] {
  return found.filter(({ name, state }) => state !== "ok" && name !== "test keys");
}

suite("check", { concurrency: 2 }, () => {
  test("check accepts a database in use, lists its checks and changes nothing", async (t) => {
    const data = path("served");
    const { child, ended } = await serving(t, "--data", data);
    const { code, found } = await check(data);
    const names = ["integrity", "schema", "clock", "test keys", "permissions", "admin secret", "disk", "system"];
    assert.deepEqual([code, bad(found), found.map(({ name }) => name)], [0, [], names]);
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    const before = fs.readdirSync(data);
    const { stdout } = await crmIntegrations("check", "--data", data);
    assert.match(stdout, /^(ok {7}[a-z]+( secret| keys)? +.+\n){8}$/);
    assert.deepEqual(fs.readdirSync(data), before);
  });

  test("check reports a missing database and creates none", async () => {
    const { code, found } = await check(path("none"));
    const message = `No database at ${path("none/crm.db")}. Select another folder with --data, or create one with init or restore.`;
    assert.deepEqual([code, found], [1, [{ name: "database", state: "failed", message }]]);
    assert.equal(fs.existsSync(path("none")), false);
  });

  test("check names every file that others can read, with the command that fixes it", async () => {
    const data = await loaded();
    const database = join(data, "crm.db");
    fs.chmodSync(data, 0o750);
    fs.chmodSync(database, 0o644);
    fs.writeFileSync(join(data, "admin.secret"), "short", { mode: 0o600 });
    const { code, found } = await check(data);
    const secret = `${join(data, "admin.secret")} has 5 of 32 bytes. Remove it. A new one is created.`;
    assert.deepEqual(
      [code, bad(found)],
      [
        1,
        [
          {
            name: "permissions",
            state: "warning",
            message: `The group can access ${data} (mode 750). Run: chmod 700 ${data}`,
          },
          {
            name: "permissions",
            state: "failed",
            message: `All users can access ${database} (mode 644). Run: chmod 600 ${database}`,
          },
          { name: "admin secret", state: "failed", message: secret },
        ],
      ],
    );
  });

  test("check --full finds an index that doesn't match its rows; check finds a damaged page", async () => {
    const [index, page] = [await loaded(), await loaded()];
    corruptIndex(join(index, "crm.db"));
    assert.equal((await check(index)).code, 0);
    const { code, found } = await check(index, "--full");
    assert.equal(code, 1);
    assert.match(String(bad(found)[0]?.message), /crm\.db is damaged: .*tasks_by_status.*Restore a backup/);
    const descriptor = fs.openSync(join(page, "crm.db"), "r+");
    fs.writeSync(descriptor, Buffer.alloc(20 * 4096, "garbage"), 0, 20 * 4096, 10 * 4096);
    fs.closeSync(descriptor);
    const damaged = await check(page);
    assert.deepEqual([damaged.code, bad(damaged.found).map(({ name }) => name)], [1, ["database"]]);
  });

  test("check tells what a file is that isn't a database of this program", async () => {
    const data = path("garbage");
    fs.mkdirSync(data, { mode: 0o700 });
    fs.writeFileSync(join(data, "crm.db"), "garbage ".repeat(2_000), { mode: 0o600 });
    const { code, found } = await check(data);
    const message = `${join(data, "crm.db")} is not a SQLite database. Choose another data folder or restore a backup.`;
    assert.deepEqual([code, bad(found)], [1, [{ name: "database", state: "failed", message }]]);
  });

  test("check reports a nearly full disk and files of a killed program", { timeout: 60_000 }, async (t) => {
    const disk = smallDisk(t, 2_000);
    if (disk === undefined) return;
    fs.copyFileSync(join(await loaded(), "crm.db"), join(disk, "crm.db"));
    fs.chmodSync(disk, 0o700);
    fs.writeFileSync(join(disk, "crm.db.new-0123456789ab"), "");
    const old = new Date(Date.now() - 2 * 86_400_000);
    fs.utimesSync(join(disk, "crm.db.new-0123456789ab"), old, old);
    fill(disk, 100);
    const { found } = await check(disk);
    const [space, left] = bad(found);
    assert.match(String(space?.message), /^only \d+(\.\d kB| bytes) free in .+\. Free disk space\.$/);
    const message = `temporary files of a killed process: ${join(disk, "crm.db.new-0123456789ab")}. Remove them.`;
    assert.deepEqual(left, { name: "leftovers", state: "warning", message });
  });
});

test("check reports a clock behind the newest record or in another century, with both times", async () => {
  const database = join(await loaded(), "crm.db");
  const opened = new Database(database);
  opened.prepare("UPDATE tenant_clocks SET last_at = ?").run(Date.parse("2026-03-01T12:00:00.000Z"));
  opened.close();
  const clockAt = (time: string) => checkDatabaseFile(database, false, Date.parse(time))[2];
  const behind =
    "The system clock (2026-03-01T11:30:00.000Z) is 30 minutes behind the newest record. Set the clock. Until then, new timestamps continue from the newest record.";
  assert.deepEqual(clockAt("2026-03-01T11:30:00.000Z"), { name: "clock", state: "warning", message: behind });
  const ok = { name: "clock", state: "ok", message: "2026-03-01T11:59:00.000Z" };
  assert.deepEqual(clockAt("2026-03-01T11:59:00.000Z"), ok);
  const early = {
    name: "clock",
    state: "failed",
    message: "The system clock (1970-01-01T00:00:00.000Z) is wrong. Set the clock.",
  };
  assert.deepEqual(clockAt("1970-01-01T00:00:00.000Z"), early);
});
