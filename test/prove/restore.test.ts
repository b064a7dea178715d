import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { createTenant } from "../../lib/storage/contract/records.ts";
import { backupDatabase, checkDatabase, restoreDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { copyDatabase, digestIn, filled, sample, type Write, writesIn } from "./killed.ts";
import { has, trialFolder } from "./place-disk.ts";
import { dice, figures, full, size } from "./size.ts";

/** Everything that changes a file or a name; what Node writes for itself is done by other calls. */
const calls = "pwrite64,fsync,fdatasync,ftruncate,unlink,link,linkat,rename,renameat,renameat2";

function secretIn(file: string): Buffer {
  const database = new Database(file, { readonly: true });
  const secret = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
  database.close();
  return secret;
}

/** A backup of another database, of a tenant without records. */
async function otherBackup(folder: string): Promise<string> {
  const [file, target] = [join(folder, "other", "crm.db"), join(folder, "backup.db")];
  const storage = sqliteStorage({ file });
  await createTenant(storage, 1);
  await storage.close();
  backupDatabase({ file, target });
  return target;
}

function keptIn(folder: string): string[] {
  const names = fs.readdirSync(folder).filter((name) => /^crm\.db\.before-restore-[^.]+Z$/.test(name));
  return names.map((name) => join(folder, name));
}

/** The calls that a restore makes are many while it writes its draft: the last ones, those of the exchange, count most. */
function chosen(writes: readonly Write[], roll: () => number): readonly Write[] {
  return full ? writes : [...sample(writes, 2, roll), ...sample(writes.slice(-14), 5, roll)];
}

test("a restore killed at any system call leaves a complete old or new database and the replaced file", {
  timeout: size(240_000, 3_600_000),
}, async (t) => {
  if (!has(t, "strace", "-o", "/dev/null", "true")) return;
  const folder = trialFolder(t);
  const bases = await filled(folder);
  const backup = await otherBackup(folder);
  const work = join(folder, "work", "crm.db");
  const program = [process.execPath, "--import", "tsx", "test/prove/restore.program.ts", work, backup];
  const trace = (...more: string[]) =>
    spawnSync("strace", ["-f", "-o", join(folder, "trace"), "-e", `trace=${calls}`, ...more, ...program]);
  const fresh = (base: string): void => {
    fs.rmSync(dirname(work), { recursive: true, force: true });
    copyDatabase(base, work);
  };
  const counts = { kills: 0, "left the old database": 0, "left the new database": 0 };
  const roll = dice();
  for (const [name, base] of Object.entries(bases)) {
    fresh(base);
    const [old, oldSecret] = [digestIn(work), secretIn(work)];
    assert.equal(trace().status, 0, "it does not restore when it is let");
    const done = digestIn(work);
    assert.deepEqual(keptIn(dirname(work)).map(digestIn), [old]);
    assert.equal(done, digestIn(backup));
    const writes = writesIn(join(folder, "trace"));
    assert.ok(writes.length > 50, `${name}: only ${writes.length} calls`);
    for (const { call, nth } of chosen(writes, roll)) {
      const where = `killed at ${call} ${nth}, ${name},`;
      fresh(base);
      const { signal, status } = trace("-e", `inject=${call}:signal=KILL:when=${nth}`);
      assert.ok(fs.existsSync(work), `${where} there is no database`);
      const left = digestIn(work);
      assert.ok(left === old || left === done, `${where} it is neither old nor new`);
      if (left === done) {
        assert.deepEqual(keptIn(dirname(work)).map(digestIn), [old], `${where} what it replaced is gone`);
        for (const secret of [oldSecret, secretIn(backup)]) assert.notDeepEqual(secretIn(work), secret);
      }
      if (status !== 0) {
        assert.ok(signal === "SIGKILL" || status === 137, `${where} it ended with ${status}`);
        counts[left === old ? "left the old database" : "left the new database"]++;
        counts.kills++;
      }
      await sqliteStorage({ file: work }).close();
      assert.equal(digestIn(work), left, `${where} it is another when it is opened`);
      assert.deepEqual(checkDatabase({ file: work, full: true }).errors, []);
      restoreDatabase({ file: work, backup });
      assert.equal(digestIn(work), done, `${where} it cannot be restored again`);
    }
  }
  assert.ok(counts["left the old database"] > 0 && counts["left the new database"] > 0, JSON.stringify(counts));
  figures(t, "restore", counts);
});
