import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { type SqliteOptions, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { type Storage, StorageUnavailable } from "../../lib/storage/storage.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const root = temporaryFolder();
let files = 0;

/** Opens a storage on a new file with one tenant, and another connection to the file. */
export async function shared(
  commitWorker = false,
  options: Omit<SqliteOptions, "file"> = {},
): Promise<{ file: string; storage: Storage; tenant: string; holder: Database.Database }> {
  const file = join(root, String(++files), "crm.db");
  const storage = sqliteStorage({ file, commitWorker, ...options });
  const tenant = await createTenant(storage, 1);
  return { file, storage, tenant, holder: new Database(file) };
}

/**
 * Resolves after another storage has tried several times to get the lock of a file, which must be held all the time.
 */
export async function lockTimeout(file: string, commitWorker: boolean): Promise<void> {
  const storage = sqliteStorage({ file, commitWorker, lockTimeoutMs: 50 });
  await assert.rejects(storage.pruneIdempotencyRecords(0), StorageUnavailable);
  await storage.close();
}

/** Tests commits on the main thread and on the commit worker. */
export function testBoth(name: string, run: (commitWorker: boolean, context: TestContext) => Promise<void>): void {
  for (const commitWorker of [false, true]) {
    test(`${name}${commitWorker ? ", with a commit worker" : ""}`, (context) => run(commitWorker, context));
  }
}

/** Commits a task. Returns the commit time. */
export function addTask(storage: Storage, tenant: string, index: number): Promise<number> {
  return commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
}
