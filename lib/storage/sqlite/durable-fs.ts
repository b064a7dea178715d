import * as fs from "node:fs";
import { platform } from "node:os";
import { dirname, resolve } from "node:path";
import { DatabaseError } from "./database-error.ts";
import { mkdirPrivate, permissionHint } from "./private-files.ts";

/** Where a file is, or will be: behind links, where SQLite keeps its log, and whichever folder the process changes to. */
export function resolvePath(file: string): string {
  return fs.existsSync(file) ? fs.realpathSync(file) : resolve(file);
}

/** The folder is there, and so is its name in the one above, and those of the folders that had to be made on the way. */
export function mkdirDurable(folder: string): void {
  for (const made of mkdirPrivate(folder)) fsyncParent(made);
}

/** Whether something has this name. @throws DatabaseError where this user may not know */
export function exists(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw permissionError(path, error);
  }
}

/** Of a file that this user may not read, that it is so; any other error comes back as it is. */
export function permissionError(path: string, error: unknown): unknown {
  const told = permissionHint(path, error);
  return told === undefined ? error : new DatabaseError(told, { cause: error });
}

/** A name in a folder is on the disk. */
export function fsyncParent(path: string): void {
  try {
    fsyncPath(dirname(path));
  } catch (error) {
    // A folder that we may not read is not one that we made: its names are its owner's to keep.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
}

/** What was written to the file, or the names in the folder, are on the disk. Windows keeps names unasked. */
export function fsyncPath(path: string): void {
  const isFolder = fs.statSync(path).isDirectory();
  if (isFolder && platform() === "win32") return;
  // Windows writes out only what was opened to be written.
  const descriptor = fs.openSync(path, isFolder ? "r" : "r+");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/**
 * Gives a file that is whole its name, where nothing has that name yet, durably.
 * @throws an error with the code EEXIST where something has
 */
export function publishFile(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
    fs.rmSync(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || fs.existsSync(path)) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
    // Some file systems have no second names.
    if (!linkUnsupportedCodes.includes(String(code))) throw error;
    fs.renameSync(draft, path);
  }
  fsyncParent(resolve(path));
}

/** What a file system says that knows no links. */
export const linkUnsupportedCodes: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** A name beside a file that says what it is and sorts by time: `crm.db.before-restore-2026-11-21T14-30-00-123Z`. */
export function timestampedName(file: string, what: string): string {
  return `${file}.${what}-${new Date().toISOString().replace(/[:.]/g, "-")}`;
}
