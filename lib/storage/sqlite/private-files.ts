import { chownSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * The folder is there, and so are those above it; what had to be made is for its owner only. Answers the folder and what
 * had to be made above it. Node's own way never ends where the system lets nobody make one, as in /proc.
 */
export function mkdirPrivate(folder: string): readonly string[] {
  if (isFolder(folder)) return [folder];
  const above = isFolder(dirname(folder)) ? [] : mkdirPrivate(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another program may have been first.
    if (!isFolder(folder)) throw error;
  }
  return [folder, ...above];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Made by root, a file is still of whoever owns this other one, or the folder. */
export function chownLike(made: string, like: string): void {
  const [own, wanted] = [statSync(made), statSync(like)];
  if (own.uid === wanted.uid && own.gid === wanted.gid) return;
  try {
    chownSync(made, wanted.uid, wanted.gid);
  } catch (error) {
    // Who is not root makes what is theirs.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

/** What is said of a file that this user may not read; undefined of any other error of the system. */
export function permissionHint(path: string, error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EACCES" && code !== "EPERM") return undefined;
  return `${path} may not be read by this user (${code}). Run this as the user whose it is, or as root.`;
}
