import * as fs from "node:fs";

/** Which file stands at a path, how long it is, and which stands where its log belongs ("" where none does). */
export type FileIdentity = { readonly file: string; readonly size: number; readonly log: string };

/** Undefined where there is no file, or nobody may look. */
export function identifyFile(path: string): FileIdentity | undefined {
  try {
    const file = fs.statSync(path, { bigint: true });
    const log = fs.statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
    return { file: `${file.dev}:${file.ino}`, size: Number(file.size), log: log ? `${log.dev}:${log.ino}` : "" };
  } catch {
    return undefined;
  }
}
