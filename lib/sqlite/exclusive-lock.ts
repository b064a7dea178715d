import * as fs from "node:fs";
import Database, { SqliteError } from "better-sqlite3";
import { copyTo } from "./copy.ts";
import { DatabaseRefused, isContentFault, refusalOf } from "./database-error.ts";
import { noLinks } from "./durable-fs.ts";
import { isBusy } from "./storage-errors.ts";
import { secureLog } from "./wal.ts";

/** A database file that nobody else can open, so that another may take its name. */
export type Hold = {
  /** The file gets a second name, as it is; it may be damaged. */
  keepAs(name: string): void;
  letGo(): void;
};

/** Longer than an opening program waits for a lock: one that found the old file must not get it. */
const lingerMs = 150;
/** What SQLite locks in every file that it has open in WAL mode. */
const lockedBytes = "1073741826 1073742335";

/**
 * Takes hold of a database that nobody uses. What a crash left in its log is in the file afterwards.
 * @throws DatabaseRefused where it is in use
 */
export function takeHold(file: string): Hold {
  if (!isReadable(file)) return holdOfDamaged(file);
  const database = new Database(file, { timeout: 0, fileMustExist: true });
  try {
    secureLog(database);
    // Only who is alone can take a database out of WAL mode, and keeps it to itself in the other.
    if (database.pragma("journal_mode = DELETE", { simple: true }) !== "delete") throw inUse(file);
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(file);
    if (isContentFault(error)) return holdOfDamaged(file);
    throw refusalOf(error, file);
  }
  return {
    keepAs: (name) => keep(file, name, () => copyTo(database, name)),
    letGo() {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lingerMs);
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
    if (isContentFault(error)) return false;
    // A restore that was killed left something to undo, which only who may write can.
    if (error instanceof SqliteError && error.code === "SQLITE_READONLY_ROLLBACK") return true;
    throw isBusy(error) ? inUse(file) : refusalOf(error, file);
  } finally {
    database.close();
  }
}

/** What SQLite cannot read it cannot lock. Linux tells who else has; a server elsewhere sees that its file was replaced. */
function holdOfDamaged(file: string): Hold {
  if (isLockedByOthers(file)) throw inUse(file);
  return {
    keepAs(name) {
      const sizeOf = (suffix: string): number => fs.statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0;
      const parts = ["", ...["-wal", "-journal"].filter((suffix) => sizeOf(suffix) > 0)];
      for (const suffix of parts)
        keep(file + suffix, name + suffix, () => fs.copyFileSync(file + suffix, name + suffix));
      // A log that stayed would be played into the file that comes.
      for (const suffix of ["-wal", "-shm", "-journal"]) fs.rmSync(file + suffix, { force: true });
    },
    letGo() {},
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
    if (!noLinks.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    copy();
  }
}

function inUse(file: string): DatabaseRefused {
  return new DatabaseRefused(`${file} is in use. Stop the server first; nothing was changed.`);
}
