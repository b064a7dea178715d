import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { DatabaseError, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();
let folders = 0;

/** Returns a copy of a database as a killed process leaves it. Its WAL contains the writes of `last`. */
async function killed(suffixes: readonly string[], last: (database: Database.Database) => void): Promise<string> {
  const file = join(root, `${++folders}`, "crm.db");
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  const description = "x".repeat(1000);
  await storage.commit(tenant, startTime, (at) =>
    Array.from({ length: 300 }, (_, index) => insertWrite("task", newTask(idOf(1, index), at, { description }))),
  );
  const database = new Database(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  last(database);
  const copy = join(dirname(file), "left", "crm.db");
  fs.mkdirSync(dirname(copy));
  for (const suffix of suffixes) fs.copyFileSync(file + suffix, copy + suffix);
  database.close();
  await storage.close();
  return copy;
}

function digestOf(file: string): string {
  return fs.existsSync(file) ? createHash("sha256").update(fs.readFileSync(file)).digest("hex") : "missing";
}

function damage(file: string): void {
  const descriptor = fs.openSync(file, "r+");
  fs.writeSync(descriptor, Buffer.alloc(8192, 0xa7), 0, 8192, 60 * 4096);
  fs.closeSync(descriptor);
}

const newer = (database: Database.Database): void => void database.pragma("user_version = 99");
const foreign = (database: Database.Database): void => void database.pragma("application_id = 7");
const deleteTasks = (database: Database.Database): void => void database.exec("DELETE FROM tasks WHERE rowid > 290");
const all = ["", "-wal", "-shm"];
const copied = ["", "-wal"];

const rejected: Readonly<Record<string, () => Promise<string>>> = {
  "a file that became newer shortly before a crash": () => killed(all, newer),
  "a copy of a file that became newer shortly before a crash": () => killed(copied, newer),
  "a file that another program took over shortly before a crash": () => killed(all, foreign),
  "a copy of a file that another program took over shortly before a crash": () => killed(copied, foreign),
  "a damaged file with the WAL of a crash": async () => {
    const file = await killed(all, deleteTasks);
    damage(file);
    return file;
  },
  "a WAL whose database is missing": () => killed(["-wal", "-shm"], deleteTasks),
};

for (const [name, make] of Object.entries(rejected)) {
  test(`opening ${name} throws one line and changes neither the file nor its WAL`, async () => {
    const file = await make();
    const before = ["", "-wal"].map((suffix) => digestOf(file + suffix));
    assert.throws(
      () => sqliteStorage({ file }),
      (error) => {
        assert.ok(error instanceof DatabaseError, `${error}`);
        assert.ok(error.message.startsWith(`${file} `), error.message);
        return !error.message.includes("\n");
      },
    );
    assert.deepEqual(
      ["", "-wal"].map((suffix) => digestOf(file + suffix)),
      before,
    );
  });
}

for (const [name, suffixes] of Object.entries({ left: all, copied })) {
  test(`a database ${name} after a crash has every commit, including those in the WAL`, async () => {
    const storage = sqliteStorage({ file: await killed(suffixes, deleteTasks) });
    assert.equal((await storage.list(idOf(1, 0), "task", {})).length, 290);
    await storage.close();
  });
}

test("a new database can be created next to an empty WAL", async () => {
  const file = join(root, `${++folders}`, "crm.db");
  fs.mkdirSync(dirname(file));
  fs.writeFileSync(`${file}-wal`, "");
  const storage = sqliteStorage({ file });
  await createTenant(storage, 1);
  await storage.close();
});
