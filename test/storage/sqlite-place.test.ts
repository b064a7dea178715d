import assert from "node:assert/strict";
import fsModule, * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { DatabaseError, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { type Storage, StorageUnavailable } from "../../lib/storage/storage.ts";
import { testBoth } from "../support/sqlite-shared.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();
let folders = 0;

const tenant = idOf(1, 0);

/** Creates a storage with one tenant and task number 1, and copies its database file. */
async function filled(commitWorker: boolean): Promise<{ file: string; copy: string; storage: Storage }> {
  const file = join(root, `${++folders}`, "data", "crm.db");
  const copy = join(root, `${folders}`, "copy.db");
  const storage = sqliteStorage({ file, commitWorker });
  await createTenant(storage, 1);
  await addTask(storage, 1);
  const database = new Database(file);
  database.prepare("VACUUM INTO ?").run(copy);
  database.close();
  return { file, copy, storage };
}

function addTask(storage: Storage, index: number): Promise<number> {
  return commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
}

async function tasksIn(storage: Storage): Promise<number[]> {
  return (await storage.list(tenant, "task", {})).map(({ id }) => Number(id.slice(-6)));
}

async function tasksAfterRestart(file: string): Promise<number[]> {
  const storage = sqliteStorage({ file });
  const tasks = await tasksIn(storage);
  await storage.close();
  return tasks;
}

/** Returns the message with which the storage rejects a write. */
async function rejectionOf(storage: Storage): Promise<string> {
  const error = await addTask(storage, 999).then(
    () => "The write succeeded.",
    (error: unknown) => error,
  );
  assert.ok(error instanceof StorageUnavailable, `${error}`);
  return error.message;
}

const losses: Readonly<Record<string, (file: string) => () => void>> = {
  "the database is moved away": (file) => {
    fs.renameSync(file, `${file}.away`);
    return () => fs.renameSync(`${file}.away`, file);
  },
  "the database is removed": (file) => {
    fs.linkSync(file, `${file}.link`);
    fs.rmSync(file);
    return () => fs.linkSync(`${file}.link`, file);
  },
  "the folder is moved away": (file) => {
    fs.renameSync(dirname(file), `${dirname(file)}.away`);
    return () => fs.renameSync(`${dirname(file)}.away`, dirname(file));
  },
  "an empty folder replaces the folder": (file) => {
    fs.renameSync(dirname(file), `${dirname(file)}.away`);
    fs.mkdirSync(dirname(file));
    return () => {
      fs.rmdirSync(dirname(file));
      fs.renameSync(`${dirname(file)}.away`, dirname(file));
    };
  },
  "the database is replaced but not its WAL": (file) => {
    fs.renameSync(file, `${file}.away`);
    fs.copyFileSync(`${file}.away`, file);
    return () => fs.renameSync(`${file}.away`, file);
  },
  "the WAL is moved away": (file) => {
    fs.renameSync(`${file}-wal`, `${file}-wal.away`);
    return () => fs.renameSync(`${file}-wal.away`, `${file}-wal`);
  },
};

for (const [name, lose] of Object.entries(losses)) {
  testBoth(`when ${name}, writes fail and reads succeed, and writes succeed once it is back`, async (commitThread) => {
    const { file, storage } = await filled(commitThread);
    const putBack = lose(file);
    assert.notEqual(await rejectionOf(storage), "The write succeeded.");
    assert.deepEqual(await tasksIn(storage), [1]);
    putBack();
    await addTask(storage, 2);
    await storage.close();
    assert.deepEqual(await tasksAfterRestart(file), [1, 2]);
  });
}

const replaced = "The database file was replaced while it was open. Restart the server to use the new file.";

testBoth("after a copy replaces the database, writes fail and reads succeed until a restart", async (commitThread) => {
  const { file, copy, storage } = await filled(commitThread);
  await addTask(storage, 2);
  fs.rmSync(dirname(file), { recursive: true });
  assert.equal(await rejectionOf(storage), `${file} was deleted. Restore it.`);
  fs.mkdirSync(dirname(file));
  fs.copyFileSync(copy, file);
  assert.equal(await rejectionOf(storage), replaced);
  assert.deepEqual(await tasksIn(storage), [1, 2]);
  await storage.close();
  assert.deepEqual(await tasksAfterRestart(file), [1]);
});

const others: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "an empty file": async (file) => fs.writeFileSync(file, ""),
  "a text": async (file) => fs.writeFileSync(file, "Dear diary,\n".repeat(1_000)),
  "another new database": (file) => sqliteStorage({ file }).close(),
};

for (const [name, make] of Object.entries(others)) {
  testBoth(`${name} that replaces the database isn't changed`, async (commitThread) => {
    const { file, storage } = await filled(commitThread);
    fs.rmSync(dirname(file), { recursive: true });
    await make(file).catch(async () => {
      fs.mkdirSync(dirname(file));
      await make(file);
    });
    const other = fs.readFileSync(file);
    assert.equal(await rejectionOf(storage), replaced);
    assert.deepEqual(await tasksIn(storage), [1]);
    await storage.close();
    assert.ok(fs.readFileSync(file).equals(other), "the file was changed");
  });
}

testBoth("a database that is truncated while open rejects writes", async (commitThread) => {
  const { file, storage } = await filled(commitThread);
  const checkpoint = new Database(file);
  checkpoint.pragma("wal_checkpoint(TRUNCATE)");
  checkpoint.close();
  await addTask(storage, 2);
  fs.truncateSync(file, 8192);
  assert.equal(await rejectionOf(storage), `${file} was truncated to 8192 bytes. Restore it from a backup.`);
  await storage.close();
});

testBoth("a database that VACUUM made smaller accepts writes", async (commitThread) => {
  const { file, storage } = await filled(commitThread);
  const other = new Database(file);
  other.exec("CREATE TABLE large (x TEXT); INSERT INTO large VALUES (zeroblob(1000000))");
  other.pragma("wal_checkpoint(TRUNCATE)");
  await addTask(storage, 2);
  const { size } = fs.statSync(file);
  other.exec("DROP TABLE large; VACUUM");
  other.pragma("wal_checkpoint(TRUNCATE)");
  assert.ok(fs.statSync(file).size < size, "VACUUM did not shrink the file");
  await addTask(storage, 3);
  other.close();
  await storage.close();
  assert.deepEqual(await tasksAfterRestart(file), [1, 2, 3]);
});

testBoth("close() restores the commits of a removed WAL", async (commitThread) => {
  const { file, storage } = await filled(commitThread);
  fs.rmSync(`${file}-wal`);
  assert.match(await rejectionOf(storage), /-wal was removed while it was open/);
  await storage.close();
  assert.deepEqual(await tasksAfterRestart(file), [1]);
});

testBoth("a commit rejects if the database file is removed during it", async (commitThread) => {
  const { file, storage } = await filled(commitThread);
  const commit = commitNow(storage, tenant, startTime, (at) => {
    fs.rmSync(file);
    return [insertWrite("task", newTask(idOf(1, 2), at))];
  });
  await assert.rejects(commit, new StorageUnavailable(`${file} was deleted. Restore it.`));
  await storage.close();
});

test("opening a database that is replaced at the same time throws DatabaseError", async (t) => {
  const { file, copy, storage } = await filled(false);
  await storage.close();
  const access = fs.accessSync;
  t.mock.method(fsModule, "accessSync", (path: fs.PathLike, mode?: number) => {
    fs.renameSync(copy, file);
    return access(path, mode);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const message = `${file} was replaced while it was being opened. Start again.`;
  assert.throws(() => sqliteStorage({ file }), new DatabaseError(message));
});
