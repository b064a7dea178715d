import * as fs from "node:fs";
import Database, { SqliteError } from "better-sqlite3";
import { copyTo } from "./copy.ts";
import { DatabaseError, isCorrupt, toDatabaseError } from "./database-error.ts";
import { linkUnsupportedCodes } from "./durable-fs.ts";
import { isBusy } from "./storage-errors.ts";
import { flushWal } from "./wal.ts";

/** A database file that nobody else can open, so that another may take its name. */
export type FileLock = {
  /** The file gets a second name, as it is; it may be damaged. */
  linkAs(name: string): void;
  release(): void;
};

/** Longer than an opening program waits for a lock: one that found the old file must not get it. */
const releaseDelayMs = 150;
/** What SQLite locks in every file that it has open in WAL mode. */
const lockedBytes = "1073741826 1073742335";

/**
 * Takes hold of a database that nobody uses. What a crash left in its log is in the file afterwards.
 * @throws DatabaseError where it is in use
 */
export function lockExclusively(file: string): FileLock {
  if (!isReadable(file)) return holdOfDamaged(file);
  const database = new Database(file, { timeout: 0, fileMustExist: true });
  try {
    flushWal(database);
    // Only who is alone can take a database out of WAL mode, and keeps it to itself in the other.
    if (database.pragma("journal_mode = DELETE", { simple: true }) !== "delete") throw inUse(file);
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(file);
    if (isCorrupt(error)) return holdOfDamaged(file);
    throw toDatabaseError(error, file);
  }
  return {
    linkAs: (name) => keep(file, name, () => copyTo(database, name)),
    release() {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, releaseDelayMs);
      database.close();
    },
  };
}

/** Asked through a connection that can only read: any other would bring the log into a file that it does not fit. */
function isReadable(file: string): boolean {
  if (fs.statSync(file).size === 0) return false;
  const database = new Database(file, { readonly: true, timeout: 0 });
  try {
    database.pragma("schema_version");
    return true;
  } catch (error) {
    if (isCorrupt(error)) return false;
    // A restore that was killed left something to undo, which only who may write can.
    if (error instanceof SqliteError && error.code === "SQLITE_READONLY_ROLLBACK") return true;
    throw isBusy(error) ? inUse(file) : toDatabaseError(error, file);
  } finally {
    database.close();
  }
}

/** What SQLite cannot read it cannot lock. Linux tells who else has; a server elsewhere sees that its file was replaced. */
function holdOfDamaged(file: string): FileLock {
  if (isLockedByOthers(file)) throw inUse(file);
  return {
    linkAs(name) {
      const sizeOf = (suffix: string): number => fs.statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0;
      const parts = ["", ...["-wal", "-journal"].filter((suffix) => sizeOf(suffix) > 0)];
      for (const suffix of parts)
        keep(file + suffix, name + suffix, () => fs.copyFileSync(file + suffix, name + suffix));
      // A log that stayed would be played into the file that comes.
      for (const suffix of ["-wal", "-shm", "-journal"]) fs.rmSync(file + suffix, { force: true });
    },
    release() {},
  };
}

function isLockedByOthers(file: string): boolean {
  try {
    return fs.readFileSync("/proc/locks", "utf8").includes(`:${fs.statSync(file).ino} ${lockedBytes}`);
  } catch {
    return false;
  }
}

function keep(file: string, name: string, copy: () => void): void {
  try {
    fs.linkSync(file, name);
  } catch (error) {
    if (!linkUnsupportedCodes.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    copy();
  }
}

function inUse(file: string): DatabaseError {
  return new DatabaseError(`${file} is in use. Stop the server first; nothing was changed.`);
}
