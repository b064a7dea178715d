import { existsSync, globSync, readFileSync, type Stats, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatBytes } from "../cli/format.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { adminSecretFile, databaseFile } from "../database/data-folder.ts";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

/** Free space below which the check fails. */
const minFreeBytes = 64 * 1024 * 1024;
const secretBytes = 32;
const dayMs = 86_400_000;
/** Minimum glibc of the SQLite addon. A test compares it with the addon. */
export const minGlibc = "2.34";

/** Checks a data folder without opening its database. */
export function checkDataFolder(folder: string, now: number): readonly CheckResult[] {
  const permissions = checkPermissions(folder);
  return [
    ...(permissions.length > 0 ? permissions : [ok("permissions", "only the owner has access")]),
    checkAdminSecret(folder),
    checkSpace(folder),
    ...findLeftovers(folder, now),
    checkSystem(),
  ];
}

/** Returns a result for each path of a data folder that its group or others can access. */
export function checkPermissions(folder: string): CheckResult[] {
  if (process.platform === "win32") return [];
  const file = databaseFile(folder);
  const files = ["", "-wal", "-shm"].map((suffix) => file + suffix);
  return [folder, ...files, adminSecretFile(folder)].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? [] : checkMode(path, found);
  });
}

/** Access of others is a failure. Access of the group can be intended, so it is a warning. */
function checkMode(path: string, stats: Stats): CheckResult[] {
  const { mode } = stats;
  const octal = (mode & 0o777).toString(8);
  const remedy = `Run: chmod ${stats.isDirectory() ? 700 : 600} ${path}`;
  if ((mode & 0o007) !== 0) return [failed("permissions", `All users can access ${path} (mode ${octal}). ${remedy}`)];
  if ((mode & 0o070) !== 0) return [warning("permissions", `The group can access ${path} (mode ${octal}). ${remedy}`)];
  return [];
}

function checkAdminSecret(folder: string): CheckResult {
  const file = adminSecretFile(folder);
  if (!existsSync(file)) return ok("admin secret", "not created yet; serve and token create it");
  try {
    const { length } = readFileSync(file);
    if (length >= secretBytes) return ok("admin secret", `${length} bytes`);
    return failed("admin secret", `${file} has ${length} of ${secretBytes} bytes. Remove it. A new one is created.`);
  } catch (error) {
    const reason = systemErrorReason(error);
    return failed("admin secret", `Cannot read ${file}: ${reason}. Its owner must be the user that runs the server.`);
  }
}

function checkSpace(folder: string): CheckResult {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = statSync(databaseFile(folder), { throwIfNoEntry: false })?.size ?? 0;
  const text = `${formatBytes(free)} free`;
  if (free < minFreeBytes) return failed("disk", `only ${text} in ${folder}. Free disk space.`);
  if (free >= needed) return ok("disk", text);
  return warning(
    "disk",
    `${text} in ${folder}, less than the size of the database. A backup or a migration would fail.`,
  );
}

/** Finds temporary files of killed processes. */
function findLeftovers(folder: string, now: number): CheckResult[] {
  const leftovers = globSync(["*.new-*", "backups/*.new-*"], { cwd: folder }).filter((name) => {
    return now - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now) > dayMs;
  });
  if (leftovers.length === 0) return [];
  const names = leftovers.slice(0, 5).map((name) => join(folder, name));
  return [warning("leftovers", `temporary files of a killed process: ${names.join(", ")}. Remove them.`)];
}

function checkSystem(): CheckResult {
  if (process.platform !== "linux") return ok("system", `${process.platform} ${process.arch}`);
  // The network section of the report is slow.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const glibc = header?.glibcVersionRuntime;
  if (glibc !== undefined) return ok("system", `linux ${process.arch}, glibc ${glibc}`);
  return warning(
    "system",
    `linux ${process.arch} without glibc is not supported. Use a system with glibc ${minGlibc} or later.`,
  );
}
