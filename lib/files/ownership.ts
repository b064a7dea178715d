import { chownSync, statSync } from "node:fs";

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
