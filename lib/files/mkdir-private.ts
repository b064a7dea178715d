import { mkdirSync, statSync } from "node:fs";
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
