import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * The folder is there, and so are those above it; what had to be made is for its owner only. Node's own way to make
 * several of them never ends where the system lets nobody make one, as in /proc.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(resolve(folder)));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another program may have been first.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
