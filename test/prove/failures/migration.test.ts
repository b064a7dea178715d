import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { openWriter } from "../../../lib/storage/sqlite/open.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, full, seededRandom, size } from "../size.ts";
import { copyDatabase, digestIn, digestOf, filled, parts, sample, systemCallsIn } from "./crashed-database.ts";
import { steps } from "./migration-steps.ts";
import { hasCommand } from "./small-disk.ts";

const calls = "write,pwrite64,fsync,fdatasync,ftruncate,unlink";
/** Migrates the file and returns its digest. */
function migrated(file: string): string {
  const database = openWriter(file, steps);
  const digest = digestOf(database);
  assert.equal(database.pragma("integrity_check", { simple: true }), "ok");
  database.close();
  return digest;
}

test("a migration killed at any write leaves the old or the new version, and the next start completes it", {
  timeout: size(180_000, 3_600_000),
}, async (t) => {
  if (!hasCommand(t, "strace", "-o", "/dev/null", "true")) return;
  const folder = temporaryFolder(t);
  const bases = await filled(folder);
  const work = join(folder, "work", "crm.db");
  const paths = parts.flatMap((part) => ["-P", work + part]);
  const program = [process.execPath, "--import", "tsx", "test/prove/failures/migration.program.ts", work];
  const trace = (...more: string[]) =>
    spawnSync("strace", ["-f", "-o", join(folder, "trace"), "-e", `trace=${calls}`, ...paths, ...more, ...program]);
  const counts = { kills: 0, "left the old version": 0, "left the new version": 0 };
  const random = seededRandom();
  for (const [name, base] of Object.entries(bases)) {
    copyDatabase(base, work);
    const old = digestIn(work);
    assert.equal(trace().status, 0, "the migration fails without a kill");
    const done = digestIn(work);
    assert.notEqual(done, old);
    const writes = systemCallsIn(join(folder, "trace"));
    assert.ok(writes.length > 50, `${name}: only ${writes.length} writes`);
    for (const { call, nth } of full ? writes : sample(writes, 5, random)) {
      const where = `killed at ${call} ${nth}, ${name},`;
      copyDatabase(base, work);
      const { signal, status } = trace("-e", `inject=${call}:signal=KILL:when=${nth}`);
      const left = digestIn(work);
      assert.ok(left === old || left === done, `${where} the database is neither old nor new`);
      // The number of its last writes differs from run to run. This run had fewer of this name.
      if (status === 0) assert.equal(left, done);
      else {
        assert.ok(signal === "SIGKILL" || status === 137, `${where} the program ended with ${status}`);
        counts[left === old ? "left the old version" : "left the new version"]++;
        counts.kills++;
      }
      assert.equal(migrated(work), done, `${where} the next start didn't complete the migration`);
    }
  }
  assert.ok(counts["left the old version"] > 0 && counts["left the new version"] > 0, JSON.stringify(counts));
  figures(t, "migration", counts);
});
