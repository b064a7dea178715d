import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { systemClock } from "../../lib/index.ts";
import { openWriter } from "../../lib/sqlite/file.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { countingIds } from "../harness.ts";
import { steps } from "./migration-steps.ts";
import { crowd } from "./place-crowd.ts";
import { has, trialFolder } from "./place-disk.ts";
import { dice, figures, full, size } from "./size.ts";

const calls = "write,pwrite64,fsync,fdatasync,ftruncate,unlink";
const parts = ["", "-wal", "-shm"];

/** Two files with the same content, at rest and as a crash leaves it: half of it in the log. */
async function filled(folder: string): Promise<{ atRest: string; crashed: string }> {
  const [made, atRest, crashed] = ["made", "at-rest", "crashed"].map((name) => join(folder, name, "crm.db"));
  assert.ok(made !== undefined && atRest !== undefined && crashed !== undefined);
  const people = crowd(1);
  const names = Array.from({ length: size(300, 1_000) }, (_, index) => ({ name: `Account ${index}` }));
  const grants = names.map(() => ({ userId: people.tenant.member }));
  const content = {
    ...(people.file as Record<string, unknown>),
    accounts: [...accountsOf(people.file), ...names],
    grants,
  };
  const storage = sqliteStorage({ file: made });
  const other = new Database(made);
  other.pragma("wal_checkpoint(TRUNCATE)");
  await loadTenantFile(storage, content, { clock: systemClock, newId: countingIds() });
  copyDatabase(made, crashed);
  other.close();
  await storage.close();
  copyDatabase(made, atRest);
  return { atRest, crashed };
}

function accountsOf(file: unknown): readonly unknown[] {
  return (file as { accounts: readonly unknown[] }).accounts;
}

function copyDatabase(from: string, to: string): void {
  fs.mkdirSync(join(to, ".."), { recursive: true });
  for (const part of parts) {
    fs.rmSync(to + part, { force: true });
    if (fs.existsSync(from + part)) fs.copyFileSync(from + part, to + part);
  }
}

/** Everything in the database as one text of 64 characters. */
function digestOf(database: Database.Database): string {
  const hash = createHash("sha256").update(String(database.pragma("user_version", { simple: true })));
  const schema = database.prepare<[], { name: string; sql: string; type: string }>("SELECT * FROM sqlite_schema").all();
  for (const { type, name, sql } of schema.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${type} ${name} ${sql}`);
    if (type !== "table") continue;
    for (const row of database.prepare(`SELECT * FROM "${name}"`).raw().all()) hash.update(JSON.stringify(row));
  }
  return hash.digest("hex");
}

function digestIn(file: string): string {
  const database = new Database(file, { readonly: true });
  const digest = digestOf(database);
  database.close();
  return digest;
}

/** What the file holds when it is opened with these migrations. */
function migrated(file: string): string {
  const database = openWriter(file, steps);
  const digest = digestOf(database);
  assert.equal(database.pragma("integrity_check", { simple: true }), "ok");
  database.close();
  return digest;
}

test("a migration that is killed at any write leaves the old version or the new one, and is finished by the next start", {
  timeout: size(180_000, 3_600_000),
}, async (t) => {
  if (!has(t, "strace", "-o", "/dev/null", "true")) return;
  const folder = trialFolder(t);
  const bases = await filled(folder);
  const work = join(folder, "work", "crm.db");
  const paths = parts.flatMap((part) => ["-P", work + part]);
  const program = [process.execPath, "--import", "tsx", "test/prove/migration.program.ts", work];
  const trace = (...more: string[]) =>
    spawnSync("strace", ["-f", "-o", join(folder, "trace"), "-e", `trace=${calls}`, ...paths, ...more, ...program]);
  const counts = { kills: 0, "left the old version": 0, "left the new version": 0 };
  const roll = dice();
  for (const [name, base] of Object.entries(bases)) {
    copyDatabase(base, work);
    const old = digestIn(work);
    assert.equal(trace().status, 0, "it does not migrate when it is let");
    const done = digestIn(work);
    assert.notEqual(done, old);
    const writes = writesIn(join(folder, "trace"));
    assert.ok(writes.length > 50, `${name}: only ${writes.length} writes`);
    for (const { call, nth } of full ? writes : sample(writes, 5, roll)) {
      const where = `killed at ${call} ${nth}, ${name},`;
      copyDatabase(base, work);
      const { signal, status } = trace("-e", `inject=${call}:signal=KILL:when=${nth}`);
      const left = digestIn(work);
      assert.ok(left === old || left === done, `${where} it is neither old nor new`);
      // The last of its writes differ a little from run to run: this one had fewer of that name.
      if (status === 0) assert.equal(left, done);
      else {
        assert.ok(signal === "SIGKILL" || status === 137, `${where} it ended with ${status}`);
        counts[left === old ? "left the old version" : "left the new version"]++;
        counts.kills++;
      }
      assert.equal(migrated(work), done, `${where} it did not become the new version`);
    }
  }
  assert.ok(counts["left the old version"] > 0 && counts["left the new version"] > 0, JSON.stringify(counts));
  figures(t, "migration", counts);
});

type Write = { readonly call: string; readonly nth: number };

/** Every call in a trace, with the how manieth of its name it is. */
function writesIn(trace: string): Write[] {
  const seen = new Map<string, number>();
  const names = fs.readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm);
  return [...names].map(([, call = ""]) => {
    const nth = (seen.get(call) ?? 0) + 1;
    seen.set(call, nth);
    return { call, nth };
  });
}

/** The first, the last, and some between. */
function sample(writes: readonly Write[], some: number, roll: () => number): Write[] {
  const between = Array.from({ length: some }, () => Math.floor(roll() * writes.length));
  return [0, writes.length - 1, ...between].flatMap((index) => writes[index] ?? []);
}
