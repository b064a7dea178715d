import * as fs from "node:fs";
import Database, { SqliteError } from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { copyTo } from "./copy.ts";
import { isCorrupt, toDatabaseError } from "./database-error.ts";
import { linkUnsupportedCodes } from "./durable-fs.ts";
import { isBusy } from "./storage-errors.ts";
import { flushWal } from "./wal.ts";

/** A database file that no other process can open, so that another file can take its name. */
export type FileLock = {
  /** Gives the file a second name. The file may be damaged. */
  linkAs(name: string): void;
  release(): void;
};

/**
 * Locks a database file that no other process uses. Moves a WAL that a crash left into the file.
 * @throws DatabaseError if another process has the file open
 */
export function lockExclusively(file: string): FileLock {
  if (!isReadable(file)) return damagedFile(file);
  const database = new Database(file, { timeout: 0, fileMustExist: true });
  try {
    flushWal(database);
    // Leaving WAL mode fails if another connection is open. In rollback mode, the exclusive lock keeps others out.
    if (database.pragma("journal_mode = DELETE", { simple: true }) !== "delete") throw inUse(file);
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(file);
    if (isCorrupt(error)) return damagedFile(file);
    throw toDatabaseError(error, file);
  }
  return {
    linkAs: (name) => linkOrCopy(file, name, () => copyTo(database, name)),
    release: () => void database.close(),
  };
}

/** Uses a read-only connection. Any other could move a WAL into a file that it doesn't belong to. */
function isReadable(file: string): boolean {
  if (fs.statSync(file).size === 0) return false;
  const database = new Database(file, { readonly: true, timeout: 0 });
  try {
    database.pragma("schema_version");
    return true;
  } catch (error) {
    if (isCorrupt(error)) return false;
    // A killed restore left a rollback journal, which only a writing connection can apply.
    if (error instanceof SqliteError && error.code === "SQLITE_READONLY_ROLLBACK") return true;
    throw isBusy(error) ? inUse(file) : toDatabaseError(error, file);
  } finally {
    database.close();
  }
}

/** SQLite can't lock a file that it can't read. A server that still has it open rejects writes once it is replaced. */
function damagedFile(file: string): FileLock {
  return {
    linkAs(name) {
      const sizeOf = (suffix: string): number => fs.statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0;
      const suffixes = ["", ...["-wal", "-journal"].filter((suffix) => sizeOf(suffix) > 0)];
      for (const suffix of suffixes)
        linkOrCopy(file + suffix, name + suffix, () => fs.copyFileSync(file + suffix, name + suffix));
      // SQLite would apply them to the new file.
      for (const suffix of ["-wal", "-shm", "-journal"]) fs.rmSync(file + suffix, { force: true });
    },
    release() {},
  };
}

function linkOrCopy(file: string, name: string, copy: () => void): void {
  try {
    fs.linkSync(file, name);
  } catch (error) {
    if (!linkUnsupportedCodes.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    copy();
  }
}

function inUse(file: string): DatabaseError {
  return new DatabaseError(`${file} is in use. Stop the server first. Nothing was changed.`);
}
