import * as fs from "node:fs";
import Database from "better-sqlite3";
import { DatabaseError } from "./database-error.ts";
import { isBusy } from "./storage-errors.ts";

const chunkBytes = 64 * 1024;

/**
 * Brings to the disk what a crash left in the log, before anyone is answered from it. SQLite takes up every commit that
 * it finds whole there, also one whose sync never came; and where a sync failed, the kernel has forgotten what it
 * could not write, so that only writing it again and a new sync bring it there.
 * @throws DatabaseError where the disk takes nothing
 */
export function flushWal(database: Database.Database): void {
  if (!hasLog(database) || !isLocked(database)) return;
  const file = logOf(database);
  try {
    rewrite(file);
  } catch (cause) {
    const what = `${file} cannot be brought to the disk: ${(cause as Error).message}.`;
    throw new DatabaseError(`${what} See to the disk, then start again.`, { cause });
  } finally {
    database.exec("ROLLBACK");
  }
}

/**
 * Closes a database that was refused. The last connection that can write would move the log into the database, though
 * nobody knows whether the log is on the disk: a loss of power in the middle of that could not be mended from it.
 */
export function closeWithoutCheckpoint(database: Database.Database): void {
  const other = hasLog(database) ? new Database(database.name, { readonly: true }) : undefined;
  try {
    other?.pragma("schema_version");
  } catch {
    // Where it cannot be read, nothing can be moved.
  } finally {
    database.close();
    other?.close();
  }
}

function logOf({ name }: Database.Database): string {
  return `${name}-wal`;
}

function hasLog(database: Database.Database): boolean {
  const found = database.memory ? undefined : fs.statSync(logOf(database), { throwIfNoEntry: false });
  return (found?.size ?? 0) > 0;
}

/** Under this lock nobody writes to the log. Who holds it in our place has the file open, and secured it then. */
function isLocked(database: Database.Database): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function rewrite(file: string): void {
  const descriptor = fs.openSync(file, "r+");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; ; ) {
      const length = fs.readSync(descriptor, chunk, 0, chunkBytes, position);
      if (length === 0) break;
      position += fs.writeSync(descriptor, chunk, 0, length, position);
    }
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
