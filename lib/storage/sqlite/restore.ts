import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import Database, { SqliteError } from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { copyTo, integrityErrors, removeTemp, tempName } from "./copy.ts";
import {
  copyOwner,
  fsyncPath,
  linkUnsupportedCodes,
  mkdirDurable,
  pathExists,
  publishFile,
  resolvePath,
  timestampedName,
} from "./file-system.ts";
import { openReadonly } from "./open.ts";
import { flushWal } from "./preflight.ts";
import { findSchemaErrors, latestVersion, migrate, migrations } from "./schema.ts";
import { isBusy, isCorrupt, toDatabaseError } from "./storage-errors.ts";

/** The schema version of the backup, the version after the restore, and the file that was replaced, if any. */
export type RestoreResult = { readonly from: number; readonly to: number; readonly previousFile: string | undefined };

/**
 * Replaces a database that no process uses with a migrated copy of a backup. The previous file is renamed. Existing
 * cursors become invalid, because they may point to records that the backup doesn't have. A crash leaves the old file
 * or the new one.
 * @throws DatabaseError if the backup is damaged or newer, or the database is in use. Nothing has changed then.
 */
export function restoreDatabase({ file, backup }: { readonly file: string; readonly backup: string }): RestoreResult {
  if (!pathExists(backup)) throw new DatabaseError(`There is no backup ${backup}.`);
  const target = resolvePath(file);
  if (fs.realpathSync(backup) === target) throw new DatabaseError(`${backup} is the database itself.`);
  mkdirDurable(dirname(target));
  const draft = tempName(target);
  try {
    const from = stageBackup(backup, draft);
    copyOwner(draft, fs.existsSync(target) ? target : dirname(target));
    fsyncPath(draft);
    return { from, to: latestVersion(migrations), previousFile: replace(target, draft) };
  } finally {
    removeTemp(draft);
  }
}

/** Checks and copies the backup, and migrates the copy. Returns the schema version of the backup. */
function stageBackup(backup: string, draft: string): number {
  copyChecked(backup, draft);
  const copy = new Database(draft);
  try {
    copy.pragma("temp_store = MEMORY");
    const from = migrate(copy, migrations);
    const errors = findSchemaErrors(copy);
    if (errors.length > 0)
      throw new DatabaseError(`Nothing was changed. ${backup} is damaged: ${errors.join("; ")}. Use another backup.`);
    // Also creates a secret that is missing.
    copy.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('cursor_secret', ?)").run(randomBytes(32));
    return from;
  } finally {
    copy.close();
  }
}

function copyChecked(backup: string, draft: string): void {
  try {
    const view = openReadonly(backup);
    try {
      const [fault] = integrityErrors(view, true);
      if (fault !== undefined) throw new DatabaseError(`${backup} is corrupt (${fault}).`);
      copyTo(view, draft);
    } finally {
      view.close();
    }
  } catch (cause) {
    if (!(cause instanceof DatabaseError)) throw cause;
    throw new DatabaseError(`Nothing was changed. The backup was rejected: ${cause.message}`, { cause });
  }
}

/** The old file gets a second name before the new one takes its name, so that a database exists at any moment. */
function replace(target: string, draft: string): string | undefined {
  const previousFile = timestampedName(target, "before-restore");
  if (!fs.existsSync(target)) {
    // A WAL without its database holds the last commits. SQLite would apply it to the new file.
    for (const suffix of ["-wal", "-shm", "-journal"])
      if (fs.existsSync(target + suffix)) fs.renameSync(target + suffix, previousFile + suffix);
    publishFile(draft, target);
    return undefined;
  }
  const lock = lockExclusively(target);
  try {
    lock.linkAs(previousFile);
    fsyncPath(dirname(target));
    fs.renameSync(draft, target);
    fsyncPath(dirname(target));
    return previousFile;
  } finally {
    lock.release();
  }
}

/** A database file that no other process can open, so that another file can take its name. */
type FileLock = {
  /** Gives the file a second name. The file may be damaged. */
  linkAs(name: string): void;
  release(): void;
};

/**
 * Locks a database file that no other process uses. Moves a WAL that a crash left into the file.
 * @throws DatabaseError if another process has the file open
 */
function lockExclusively(file: string): FileLock {
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
