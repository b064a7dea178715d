import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { backupDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { Storage } from "../../lib/storage/storage.ts";

const root = fs.mkdtempSync(join(tmpdir(), "crm-copies-"));
after(() => fs.rmSync(root, { recursive: true }));
let folders = 0;

/** A folder of its own for one test. */
export function newFolder(): string {
  const folder = join(root, `${++folders}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

export const tenant = idOf(1, 0);

/** A storage in a new file with a tenant and so many tasks. */
export async function filled(tasks: number): Promise<{ file: string; storage: Storage }> {
  const file = join(newFolder(), "crm.db");
  const storage = sqliteStorage({ file });
  await createTenant(storage, 1);
  for (let index = 1; index <= tasks; index++) await addTask(storage, index);
  return { file, storage };
}

/** The same, closed. */
export async function filledFile(tasks: number): Promise<string> {
  const { file, storage } = await filled(tasks);
  await storage.close();
  return file;
}

/** A backup of a database with so many tasks. */
export async function backupOf(tasks: number): Promise<string> {
  const target = join(newFolder(), "backup.db");
  backupDatabase({ file: await filledFile(tasks), target });
  return target;
}

export function addTask(storage: Storage, index: number): Promise<number> {
  return commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
}

/** The numbers of the tasks in a file, in their order. */
export async function tasksIn(file: string): Promise<readonly number[]> {
  const storage = sqliteStorage({ file });
  const tasks = await storage.list(tenant, "task", {});
  await storage.close();
  return tasks.map(({ id }) => Number(id.slice(-12)));
}

/** Says that it was made by a program that is so many versions ahead. */
export function makeNewer(file: string): void {
  const database = new Database(file);
  database.pragma("user_version = 99");
  database.close();
}

/** It has an entry for each row, but the wrong one: only who compares them sees that. */
export function spoilIndex(file: string): void {
  const database = new Database(file);
  database.unsafeMode();
  const sql = String(database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'tasks_by_status'").pluck().get());
  database.exec(`DROP INDEX tasks_by_status; ${sql.replace("status,", "priority,")}; PRAGMA writable_schema = ON`);
  database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'tasks_by_status'").run(sql);
  database.close();
}

/** Bytes by name, of everything in a folder. */
export function contentOf(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(
    fs
      .readdirSync(folder)
      .sort()
      .map((name) => [name, fs.readFileSync(join(folder, name))]),
  );
}

export function modeOf(file: string): string {
  return (fs.statSync(file).mode & 0o777).toString(8);
}

export function assertSame(before: ReadonlyMap<string, Buffer>, folder: string): void {
  const after = contentOf(folder);
  assert.deepEqual([...after.keys()], [...before.keys()]);
  for (const [name, bytes] of before) assert.ok(after.get(name)?.equals(bytes), `${name} was changed`);
}
