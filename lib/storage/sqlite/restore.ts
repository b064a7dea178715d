import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { copyTo, integrityErrors, removeTemp, tempName } from "./copy.ts";
import { DatabaseError } from "./database-error.ts";
import { exists, fsyncPath, mkdirDurable, publishFile, resolvePath, timestampedName } from "./durable-fs.ts";
import { lockExclusively } from "./exclusive-lock.ts";
import { latestVersion, migrate, migrations } from "./migrations.ts";
import { openReadonly, schemaVersionOf } from "./open-readonly.ts";
import { chownLike } from "./private-files.ts";
import { schemaFaults } from "./schema-faults.ts";

/** What was put in place: the schema it had, and where what stood there is kept; undefined where nothing did. */
export type RestoreResult = { readonly from: number; readonly to: number; readonly previousFile: string | undefined };

/**
 * Puts a backup in the place of a database that nobody uses, an older one brought up to date. What was there is kept
 * beside it, damaged as it may be. The cursors given out before are refused from then on: what they point to may not
 * be in the backup. A crash in the middle leaves the one or the other.
 * @throws DatabaseError where the backup is faulty or newer, or the database is in use; nothing was changed then
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

/** Checks the backup whole, copies it and makes the copy fit to be served. Answers the schema that it had. */
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
    throw new DatabaseError(`Nothing was changed, the backup is refused: ${cause.message}`, { cause });
  }
}

/** At every moment there is a whole database under its name: the old one has two names when the new one takes the first. */
function replace(target: string, draft: string): string | undefined {
  const kept = timestampedName(target, "before-restore");
  if (!fs.existsSync(target)) {
    // The log of a database that is gone is all that is left of its last commits, and none of the new one's.
    for (const suffix of ["-wal", "-shm", "-journal"])
      if (fs.existsSync(target + suffix)) fs.renameSync(target + suffix, kept + suffix);
    publishFile(draft, target);
    return undefined;
  }
  const hold = lockExclusively(target);
  try {
    hold.linkAs(kept);
    fsyncPath(dirname(target));
    fs.renameSync(draft, target);
    fsyncPath(dirname(target));
    return kept;
  } finally {
    hold.release();
  }
}
