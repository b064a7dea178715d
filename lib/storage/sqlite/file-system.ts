import * as fs from "node:fs";
import { platform } from "node:os";
import { dirname, resolve } from "node:path";
import { DatabaseError } from "../database-error.ts";

/**
 * Returns the absolute path with symbolic links resolved, because SQLite keeps the WAL next to the target of a link.
 */
export function resolvePath(file: string): string {
  return fs.existsSync(file) ? fs.realpathSync(file) : resolve(file);
}

/** Creates a folder and its parents, durably. */
export function mkdirDurable(folder: string): void {
  for (const created of mkdirPrivate(folder)) fsyncParent(created);
}

/** @throws DatabaseError if permissions prevent the check */
export function pathExists(path: string): boolean {
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
export function timestampedName(file: string, label: string): string {
  return `${file}.${label}-${new Date().toISOString().replace(/[:.]/g, "-")}`;
}

/**
 * Creates a folder and its parents with mode 0700. Returns the folder and the created parents. The recursive mkdir of
 * Node doesn't end if the system forbids new folders, as in /proc.
 */
export function mkdirPrivate(folder: string): readonly string[] {
  if (isFolder(folder)) return [folder];
  const above = isFolder(dirname(folder)) ? [] : mkdirPrivate(dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(folder)) throw error;
  }
  return [folder, ...above];
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Gives a file the owner of another file or folder. Does nothing without root privileges. */
export function copyOwner(file: string, like: string): void {
  const [found, wanted] = [fs.statSync(file), fs.statSync(like)];
  if (found.uid === wanted.uid && found.gid === wanted.gid) return;
  try {
    fs.chownSync(file, wanted.uid, wanted.gid);
  } catch (error) {
    // Only root can change the owner.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

/** Returns a message for a permission error, and undefined for any other error. */
export function permissionHint(path: string, error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EACCES" && code !== "EPERM") return undefined;
  return `${path} is not accessible to this user (${code}). Run the command as the owner of the file, or as root.`;
}

/** Device and inode of the database file and of its WAL ("" if there is none), and the size of the file in bytes. */
export type FileIdentity = { readonly file: string; readonly size: number; readonly log: string };

/** Returns undefined if the file doesn't exist or can't be accessed. */
export function identifyFile(path: string): FileIdentity | undefined {
  try {
    const file = fs.statSync(path, { bigint: true });
    const log = fs.statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
    return { file: `${file.dev}:${file.ino}`, size: Number(file.size), log: log ? `${log.dev}:${log.ino}` : "" };
  } catch {
    return undefined;
  }
}
