import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { backupDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
let folders = 0;

/** Creates an empty folder. */
export function newFolder(): string {
  const folder = join(root, `${++folders}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

export const tenant = idOf(1, 0);

/** Opens a storage on a new file with a tenant and this number of tasks. */
export async function filled(tasks: number): Promise<{ file: string; storage: Storage }> {
  const file = join(newFolder(), "crm.db");
  const storage = sqliteStorage({ file });
  await createTenant(storage, 1);
  for (let index = 1; index <= tasks; index++) await addTask(storage, index);
  return { file, storage };
}

/** Creates a database file with a tenant and this number of tasks. Returns its path. */
export async function filledFile(tasks: number): Promise<string> {
  const { file, storage } = await filled(tasks);
  await storage.close();
  return file;
}

/** Creates a backup of a database with this number of tasks. Returns its path. */
export async function backupOf(tasks: number): Promise<string> {
  const target = join(newFolder(), "backup.db");
  backupDatabase({ file: await filledFile(tasks), target });
  return target;
}

/** Commits a task. Returns the commit time. */
export function addTask(storage: Storage, index: number): Promise<number> {
  return commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
}

/** Returns the numbers of the tasks in a file, in their order. */
export async function tasksIn(file: string): Promise<readonly number[]> {
  const storage = sqliteStorage({ file });
  const tasks = await storage.list(tenant, "task", {});
  await storage.close();
  return tasks.map(({ id }) => Number(id.slice(-12)));
}

/** Sets a schema version that this program doesn't know. */
export function makeNewer(file: string): void {
  const database = new Database(file);
  database.pragma("user_version = 99");
  database.close();
}

/** Gives an index a wrong entry for each row. Only a comparison with the rows finds it. */
export function corruptIndex(file: string): void {
  const database = new Database(file);
  database.unsafeMode();
  const sql = String(database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'tasks_by_status'").pluck().get());
  database.exec(`DROP INDEX tasks_by_status; ${sql.replace("status,", "priority,")}; PRAGMA writable_schema = ON`);
  database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'tasks_by_status'").run(sql);
  database.close();
}

/** Returns the bytes of each file in a folder, by name. */
export function contentOf(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(
    fs
      .readdirSync(folder)
      .sort()
      .map((name) => [name, fs.readFileSync(join(folder, name))]),
  );
}

/** Returns the permissions of a file in octal. */
export function modeOf(file: string): string {
  return (fs.statSync(file).mode & 0o777).toString(8);
}

/** Asserts that a folder has the same files as `before`. */
export function assertSame(before: ReadonlyMap<string, Buffer>, folder: string): void {
  const after = contentOf(folder);
  assert.deepEqual([...after.keys()], [...before.keys()]);
  for (const [name, bytes] of before) assert.ok(after.get(name)?.equals(bytes), `${name} was changed`);
}
