import * as fs from "node:fs";

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
