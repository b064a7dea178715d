import { chownSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents with mode 0700. Returns the folder and the created parents. The recursive mkdir of Node
 * doesn't end if the system forbids new folders, as in /proc.
 */
export function mkdirPrivate(folder: string): readonly string[] {
  if (isFolder(folder)) return [folder];
  const above = isFolder(dirname(folder)) ? [] : mkdirPrivate(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(folder)) throw error;
  }
  return [folder, ...above];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Gives a file the owner of another file or folder. Does nothing without root privileges. */
export function chownLike(made: string, like: string): void {
  const [own, wanted] = [statSync(made), statSync(like)];
  if (own.uid === wanted.uid && own.gid === wanted.gid) return;
  try {
    chownSync(made, wanted.uid, wanted.gid);
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
