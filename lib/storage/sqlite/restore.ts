import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { copyTo, integrityErrors, removeTemp, tempName } from "./copy.ts";
import { exists, fsyncPath, mkdirDurable, publishFile, resolvePath, timestampedName } from "./durable-fs.ts";
import { lockExclusively } from "./exclusive-lock.ts";
import { chownLike } from "./file-permissions.ts";
import { latestVersion, migrate, migrations } from "./migrations.ts";
import { openReadonly, schemaVersionOf } from "./open-readonly.ts";
import { schemaFaults } from "./schema-faults.ts";

/** The schema version of the backup, the version after the restore, and the file that was replaced, if any. */
export type RestoreResult = { readonly from: number; readonly to: number; readonly previousFile: string | undefined };

/**
 * Replaces a database that no process uses with a migrated copy of a backup. The previous file is renamed. Existing cursors
 * become invalid, because they may point to records that the backup doesn't have. A crash leaves the old file or the new one.
 * @throws DatabaseError if the backup is damaged or newer, or the database is in use. Nothing has changed then.
 */
export function restoreDatabase({ file, backup }: { readonly file: string; readonly backup: string }): RestoreResult {
  if (!exists(backup)) throw new DatabaseError(`There is no backup ${backup}.`);
  const target = resolvePath(file);
  if (fs.realpathSync(backup) === target) throw new DatabaseError(`${backup} is the database itself.`);
  mkdirDurable(dirname(target));
  const draft = tempName(target);
  try {
    const from = stageBackup(backup, draft);
    chownLike(draft, fs.existsSync(target) ? target : dirname(target));
    fsyncPath(draft);
    return { from, to: latestVersion(migrations), previousFile: replace(target, draft) };
  } finally {
    removeTemp(draft);
  }
}

/** Checks and copies the backup, and migrates the copy. Returns the schema version of the backup. */
function stageBackup(backup: string, draft: string): number {
  const from = copyChecked(backup, draft);
  const copy = new Database(draft);
  try {
    copy.pragma("temp_store = MEMORY");
    migrate(copy, migrations, () => {});
    const faults = schemaFaults(copy);
    if (faults.length > 0)
      throw new DatabaseError(`Nothing was changed. ${backup} is damaged: ${faults.join("; ")}. Use another backup.`);
    // Also creates a secret that is missing.
    copy.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('cursor_secret', ?)").run(randomBytes(32));
  } finally {
    copy.close();
  }
  return from;
}

function copyChecked(backup: string, draft: string): number {
  try {
    const view = openReadonly(backup);
    try {
      const [fault] = integrityErrors(view, true);
      if (fault !== undefined) throw new DatabaseError(`${backup} is corrupt (${fault}).`);
      copyTo(view, draft);
      return schemaVersionOf(view);
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
