import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackupErrorCode } from "#lib";

/** Returns why a backup in the folder `dir` has failed. */
export function backupErrorCode(dir: string, data: string): BackupErrorCode {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(dir);
    const bytes = statSync(join(data, "crm.db"), { throwIfNoEntry: false })?.size ?? 0;
    return bavail * bsize < bytes ? "disk_full" : "failed";
  } catch {
    return "folder_not_writable";
  }
}
