import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { createTenant } from "../../../lib/storage/contract/records.ts";
import { backupDatabase, checkDatabase, restoreDatabase, sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, full, seededRandom, size } from "../size.ts";
import { copyDatabase, digestIn, filled, type SystemCall, sample, systemCallsIn } from "./crashed-database.ts";
import { hasCommand } from "./small-disk.ts";

/** The system calls that change a file or a name. Node uses others for its own writes. */
const calls = "pwrite64,fsync,fdatasync,ftruncate,unlink,link,linkat,rename,renameat,renameat2";

function secretIn(file: string): Buffer {
  const database = new Database(file, { readonly: true });
  const secret = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
  database.close();
  return secret;
}

/** Creates a backup of another database, with a tenant without records. */
async function otherBackup(folder: string): Promise<string> {
  const [file, target] = [join(folder, "other", "crm.db"), join(folder, "backup.db")];
  const storage = sqliteStorage({ file });
  await createTenant(storage, 1);
  await storage.close();
  backupDatabase({ file, target });
  return target;
}

function replacedFilesIn(folder: string): string[] {
  const names = fs.readdirSync(folder).filter((name) => /^crm\.db\.before-restore-[^.]+Z$/.test(name));
  return names.map((name) => join(folder, name));
}

/** Selects calls. Most calls write the new file; the last ones exchange the files and matter most. */
function chosen(calls: readonly SystemCall[], random: () => number): readonly SystemCall[] {
  return full ? calls : [...sample(calls, 2, random), ...sample(calls.slice(-14), 5, random)];
}

test("a restore killed at any system call leaves a complete old or new database and the replaced file", {
  timeout: size(240_000, 3_600_000),
}, async (t) => {
  if (!hasCommand(t, "strace", "-o", "/dev/null", "true")) return;
  const folder = temporaryFolder(t);
  const bases = await filled(folder);
  const backup = await otherBackup(folder);
  const work = join(folder, "work", "crm.db");
  const program = [process.execPath, "--import", "tsx", "test/prove/failures/restore.program.ts", work, backup];
  const trace = (...more: string[]) =>
    spawnSync("strace", ["-f", "-o", join(folder, "trace"), "-e", `trace=${calls}`, ...more, ...program]);
  const fresh = (base: string): void => {
    fs.rmSync(dirname(work), { recursive: true, force: true });
    copyDatabase(base, work);
  };
  const counts = { kills: 0, "left the old database": 0, "left the new database": 0 };
  const random = seededRandom();
  for (const [name, base] of Object.entries(bases)) {
    fresh(base);
    const [old, oldSecret] = [digestIn(work), secretIn(work)];
    assert.equal(trace().status, 0, "the restore fails without a kill");
    const done = digestIn(work);
    assert.deepEqual(replacedFilesIn(dirname(work)).map(digestIn), [old]);
    assert.equal(done, digestIn(backup));
    const writes = systemCallsIn(join(folder, "trace"));
    assert.ok(writes.length > 50, `${name}: only ${writes.length} calls`);
    for (const { call, nth } of chosen(writes, random)) {
      const where = `killed at ${call} ${nth}, ${name},`;
      fresh(base);
      const { signal, status } = trace("-e", `inject=${call}:signal=KILL:when=${nth}`);
      assert.ok(fs.existsSync(work), `${where} there is no database`);
      const left = digestIn(work);
      assert.ok(left === old || left === done, `${where} the database is neither old nor new`);
      if (left === done) {
        assert.deepEqual(replacedFilesIn(dirname(work)).map(digestIn), [old], `${where} the replaced file is missing`);
        for (const secret of [oldSecret, secretIn(backup)]) assert.notDeepEqual(secretIn(work), secret);
      }
      if (status !== 0) {
        assert.ok(signal === "SIGKILL" || status === 137, `${where} the program ended with ${status}`);
        counts[left === old ? "left the old database" : "left the new database"]++;
        counts.kills++;
      }
      await sqliteStorage({ file: work }).close();
      assert.equal(digestIn(work), left, `${where} opening the database changes it`);
      assert.deepEqual(checkDatabase({ file: work, full: true }).errors, []);
      restoreDatabase({ file: work, backup });
      assert.equal(digestIn(work), done, `${where} a second restore differs`);
    }
  }
  assert.ok(counts["left the old database"] > 0 && counts["left the new database"] > 0, JSON.stringify(counts));
  figures(t, "restore", counts);
});
