import * as fs from "node:fs";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { isBusy } from "./storage-errors.ts";

const chunkBytes = 64 * 1024;

/**
 * Rewrites and fsyncs the WAL after a crash. SQLite replays commits whose fsync never happened or failed, and the kernel
 * doesn't write pages again after a failed fsync.
 * @throws DatabaseError if the WAL can't be written
 */
export function flushWal(database: Database.Database): void {
  if (!hasLog(database) || !isLocked(database)) return;
  const file = logOf(database);
  try {
    rewrite(file);
  } catch (cause) {
    const what = `${file} can't be flushed to disk: ${(cause as Error).message}.`;
    throw new DatabaseError(`${what} Check the disk, then start again.`, { cause });
  } finally {
    database.exec("ROLLBACK");
  }
}

/**
 * Closes a database that was rejected. Closing the last writing connection moves the WAL into the database, and a power
 * loss during that couldn't be repaired from a WAL that isn't durable.
 */
export function closeWithoutCheckpoint(database: Database.Database): void {
  const other = hasLog(database) ? new Database(database.name, { readonly: true }) : undefined;
  try {
    other?.pragma("schema_version");
  } catch {
    // A file that can't be read has no WAL to move.
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

/** Locks the WAL against writes. A process that holds the lock flushed the WAL when it opened the file. */
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
