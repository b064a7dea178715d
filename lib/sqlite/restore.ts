import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { giveOwner } from "../files/ownership.ts";
import { copyTo, draftOf, faultsIn, removeDraft } from "./copy.ts";
import { DatabaseRefused } from "./database-error.ts";
import { giveName, isFound, makeFolder, nameBeside, pathOf, sync } from "./durable-fs.ts";
import { takeHold } from "./exclusive-lock.ts";
import { migrate, migrations, versionAfter } from "./migrations.ts";
import { openView, versionOf } from "./open-readonly.ts";
import { schemaFaults } from "./schema-faults.ts";

/** What was put in place: the schema it had, and where what stood there is kept; undefined where nothing did. */
export type Restored = { readonly from: number; readonly to: number; readonly kept: string | undefined };

/**
 * Puts a backup in the place of a database that nobody uses, an older one brought up to date. What was there is kept
 * beside it, damaged as it may be. The cursors given out before are refused from then on: what they point to may not
 * be in the backup. A crash in the middle leaves the one or the other.
 * @throws DatabaseRefused where the backup is faulty or newer, or the database is in use; nothing was changed then
 */
export function restoreDatabase({ file, backup }: { readonly file: string; readonly backup: string }): Restored {
  if (!isFound(backup)) throw new DatabaseRefused(`There is no backup ${backup}.`);
  const target = pathOf(file);
  if (fs.realpathSync(backup) === target) throw new DatabaseRefused(`${backup} is the database itself.`);
  makeFolder(dirname(target));
  const draft = draftOf(target);
  try {
    const from = take(backup, draft);
    giveOwner(draft, fs.existsSync(target) ? target : dirname(target));
    sync(draft);
    return { from, to: versionAfter(migrations), kept: replace(target, draft) };
  } finally {
    removeDraft(draft);
  }
}

/** Checks the backup whole, copies it and makes the copy fit to be served. Answers the schema that it had. */
function take(backup: string, draft: string): number {
  const from = copyChecked(backup, draft);
  const copy = new Database(draft);
  try {
    copy.pragma("temp_store = MEMORY");
    migrate(copy, migrations, () => {});
    const faults = schemaFaults(copy);
    if (faults.length > 0)
      throw new DatabaseRefused(`Nothing was changed. ${backup} is damaged: ${faults.join("; ")}. Use another backup.`);
    // Also creates a secret that is missing.
    copy.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('cursor_secret', ?)").run(randomBytes(32));
  } finally {
    copy.close();
  }
  return from;
}

function copyChecked(backup: string, draft: string): number {
  try {
    const view = openView(backup);
    try {
      const [fault] = faultsIn(view, true);
      if (fault !== undefined) throw new DatabaseRefused(`${backup} is corrupt (${fault}).`);
      copyTo(view, draft);
      return versionOf(view);
    } finally {
      view.close();
    }
  } catch (cause) {
    if (!(cause instanceof DatabaseRefused)) throw cause;
    throw new DatabaseRefused(`Nothing was changed, the backup is refused: ${cause.message}`, { cause });
  }
}

/** At every moment there is a whole database under its name: the old one has two names when the new one takes the first. */
function replace(target: string, draft: string): string | undefined {
  const kept = nameBeside(target, "before-restore");
  if (!fs.existsSync(target)) {
    // The log of a database that is gone is all that is left of its last commits, and none of the new one's.
    for (const suffix of ["-wal", "-shm", "-journal"])
      if (fs.existsSync(target + suffix)) fs.renameSync(target + suffix, kept + suffix);
    giveName(draft, target);
    return undefined;
  }
  const hold = takeHold(target);
  try {
    hold.keepAs(kept);
    sync(dirname(target));
    fs.renameSync(draft, target);
    sync(dirname(target));
    return kept;
  } finally {
    hold.letGo();
  }
}
