import * as fs from "node:fs";
import { platform } from "node:os";
import { dirname, resolve } from "node:path";
import { DatabaseError } from "../database-error.ts";
import { mkdirPrivate, permissionHint } from "./file-permissions.ts";

/** Returns the absolute path with symbolic links resolved, because SQLite keeps the WAL next to the target of a link. */
export function resolvePath(file: string): string {
  return fs.existsSync(file) ? fs.realpathSync(file) : resolve(file);
}

/** Creates a folder and its parents, durably. */
export function mkdirDurable(folder: string): void {
  for (const made of mkdirPrivate(folder)) fsyncParent(made);
}

/** @throws DatabaseError if permissions prevent the check */
export function exists(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw permissionError(path, error);
  }
}

/** Converts a permission error to a DatabaseError. Returns any other error unchanged. */
export function permissionError(path: string, error: unknown): unknown {
  const hint = permissionHint(path, error);
  return hint === undefined ? error : new DatabaseError(hint, { cause: error });
}

/** Makes the name of a file durable in its folder. */
export function fsyncParent(path: string): void {
  try {
    fsyncPath(dirname(path));
  } catch (error) {
    // A folder that this user can't read was created by another user.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
}

/** Flushes a file, or the names in a folder, to disk. Windows makes names durable without this. */
export function fsyncPath(path: string): void {
  const isFolder = fs.statSync(path).isDirectory();
  if (isFolder && platform() === "win32") return;
  // Windows flushes only files that are open for writing.
  const descriptor = fs.openSync(path, isFolder ? "r" : "r+");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/**
 * Renames a complete file, durably, without replacing another.
 * @throws an error with code EEXIST if the target exists
 */
export function publishFile(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
    fs.rmSync(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || fs.existsSync(path)) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
    // Some file systems have no hard links.
    if (!linkUnsupportedCodes.includes(String(code))) throw error;
    fs.renameSync(draft, path);
  }
  fsyncParent(resolve(path));
}

/** Error codes of file systems without hard links. */
export const linkUnsupportedCodes: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Returns a name next to a file that sorts by time: `crm.db.before-restore-2026-11-21T14-30-00-123Z`. */
export function timestampedName(file: string, what: string): string {
  return `${file}.${what}-${new Date().toISOString().replace(/[:.]/g, "-")}`;
}
