import assert from "node:assert/strict";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { DatabaseError, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();
let folders = 0;

function newFile(): string {
  return join(root, String(++folders), "data", "crm.db");
}

/** Creates a database with a tenant and enough tasks to fill many pages, and closes it. */
async function filledFile(): Promise<string> {
  const file = newFile();
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  const description = "x".repeat(1000);
  await storage.commit(tenant, startTime, (at) =>
    Array.from({ length: 300 }, (_, index) => insertWrite("task", newTask(idOf(1, index), at, { description }))),
  );
  await storage.close();
  return file;
}

/** Returns the content of every file in the folder of `file`. */
function contentOf(file: string): Map<string, Buffer> {
  const paths = fs.readdirSync(dirname(file)).map((name) => join(dirname(file), name));
  return new Map(paths.sort().map((path) => [path, fs.readFileSync(path)]));
}

async function damaged(damage: (file: string) => void): Promise<string> {
  const file = await filledFile();
  damage(file);
  return file;
}

async function fileWith(make: (file: string) => void): Promise<string> {
  const file = newFile();
  fs.mkdirSync(dirname(file), { recursive: true });
  make(file);
  return file;
}

function sql(file: string, ...statements: readonly string[]): void {
  const database = new Database(file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

function overwrite(file: string, position: number, length: number): void {
  const descriptor = fs.openSync(file, "r+");
  fs.writeSync(descriptor, Buffer.alloc(length, 0xa7), 0, length, position);
  fs.closeSync(descriptor);
}

/** Writes a database as a crashed process leaves it. Some of its data is only in the WAL. */
function crashed(file: string): void {
  const database = new Database(`${file}.running`);
  for (const sql of ["PRAGMA journal_mode = WAL", "CREATE TABLE other (id TEXT)"]) database.exec(sql);
  for (const suffix of ["", "-wal"]) fs.copyFileSync(`${file}.running${suffix}`, file + suffix);
  database.close();
  fs.rmSync(`${file}.running`);
}

const page = 4096;
const diary = "Dear diary,\n".repeat(1000);
const bad: Readonly<Record<string, () => Promise<string>>> = {
  "an empty file": () => fileWith((file) => fs.writeFileSync(file, "")),
  "a short text": () => fileWith((file) => fs.writeFileSync(file, "x")),
  "a long text": () => fileWith((file) => fs.writeFileSync(file, diary)),
  "the database of another program": () => fileWith((file) => sql(file, "CREATE TABLE other (id TEXT)")),
  "the WAL database of another program": () =>
    fileWith((file) => sql(file, "PRAGMA journal_mode = WAL", "CREATE TABLE other (id TEXT)")),
  "the WAL database of another program that crashed": () => fileWith(crashed),
  "a file of a newer schema": () => damaged((file) => sql(file, "PRAGMA user_version = 99")),
  "a file without a schema version": () => damaged((file) => sql(file, "PRAGMA user_version = 0")),
  "a file cut inside its header": () => damaged((file) => fs.truncateSync(file, 60)),
  "a file cut after its first page": () => damaged((file) => fs.truncateSync(file, page)),
  "a file cut at a page in its middle": () => damaged((file) => fs.truncateSync(file, 60 * page)),
  "a file cut inside a page": () => damaged((file) => fs.truncateSync(file, 60 * page + 1000)),
  "a file with one damaged page": () => damaged((file) => overwrite(file, 60 * page, page)),
  "a file with many damaged pages": () => damaged((file) => overwrite(file, 50 * page, 20 * page)),
  "a file with a damaged list of tables": () => damaged((file) => overwrite(file, 100, 2000)),
};

for (const [name, make] of Object.entries(bad)) {
  test(`opening ${name} throws one line that names the file`, async () => {
    const file = await make();
    assert.throws(
      () => sqliteStorage({ file }),
      (error) => {
        assert.ok(error instanceof DatabaseError, `${error}`);
        assert.ok(error.message.startsWith(`${file} `), error.message);
        assert.deepEqual(error.message.split("\n").slice(1), []);
        return true;
      },
    );
  });

  test(`opening ${name} doesn't change it`, async () => {
    const file = await make();
    const before = contentOf(file);
    assert.throws(() => sqliteStorage({ file }));
    const after = contentOf(file);
    for (const [path, bytes] of before) assert.ok(after.get(path)?.equals(bytes), `${path} was changed`);
  });

  test(`opening ${name} creates no files`, async () => {
    const file = await make();
    const before = [...contentOf(file).keys()];
    assert.throws(() => sqliteStorage({ file }));
    assert.deepEqual([...contentOf(file).keys()], before);
  });
}

test("a new database, its WAL and its folder are accessible to their owner only", async () => {
  const umask = process.umask(0);
  try {
    const file = newFile();
    const storage = sqliteStorage({ file });
    await createTenant(storage, 1);
    const modes = ["..", "../crm.db", "../crm.db-wal", "../crm.db-shm"].map(
      (name) => fs.statSync(join(file, name)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
    assert.deepEqual(fs.readdirSync(dirname(file)).sort(), ["crm.db", "crm.db-shm", "crm.db-wal"]);
    await storage.close();
    assert.deepEqual(fs.readdirSync(dirname(file)), ["crm.db"]);
  } finally {
    process.umask(umask);
  }
});

test("two storages on one file see each other's commits, and commit times increase across both", async () => {
  const file = newFile();
  const [one, two] = [sqliteStorage({ file }), sqliteStorage({ file })];
  const tenant = await createTenant(one, 1);
  const times: number[] = [];
  for (const index of Array.from({ length: 20 }, (_, index) => index)) {
    const [writer, reader] = index % 2 === 0 ? [one, two] : [two, one];
    const task = (at: number) => newTask(idOf(1, index), at);
    const at = await commitNow(writer, tenant, startTime + 1 - index, (at) => [insertWrite("task", task(at))]);
    assert.deepEqual(await reader.get(tenant, "task", idOf(1, index)), task(at));
    times.push(at - startTime);
  }
  assert.deepEqual(
    times,
    times.map((_, index) => index + 1),
  );
  assert.deepEqual(await one.cursorSecret(), await two.cursorSecret());
  await one.close();
  assert.equal((await two.list(tenant, "task", {})).length, 20);
  await two.close();
});

test("a commit survives a restart, and an existing file keeps its mode", async () => {
  const file = newFile();
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  const task = newTask(idOf(1, 1), startTime + 1);
  await storage.commit(tenant, startTime + 1, () => [insertWrite("task", task)]);
  await storage.close();
  fs.chmodSync(file, 0o640);
  const again = sqliteStorage({ file });
  assert.deepEqual(await again.list(tenant, "task", {}), [task]);
  await again.close();
  assert.equal(fs.statSync(file).mode & 0o777, 0o640);
});
