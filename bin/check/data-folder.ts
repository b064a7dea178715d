import { existsSync, globSync, readFileSync, type Stats, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatBytes } from "../cli/format.ts";
import { adminSecretFile, databaseFile } from "../database/data-folder.ts";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

/** With less than this left a server soon writes nothing any more. */
const freeMin = 64 * 1024 * 1024;
const secretBytes = 32;
const dayMs = 86_400_000;
/** The oldest glibc with which the addon of SQLite loads, by test/requirements.test.ts. */
export const glibcMin = "2.34";

/** What can be told of a data folder without opening its database. */
export function checkDataFolder(folder: string, now: number): readonly CheckResult[] {
  const permissions = permissionFindings(folder);
  return [
    ...(permissions.length > 0 ? permissions : [ok("permissions", "for their owner only")]),
    adminSecret(folder),
    space(folder),
    ...leftovers(folder, now),
    libc(),
  ];
}

/** Returns a finding for each path of a data folder that its group or others can access. */
export function permissionFindings(folder: string): CheckResult[] {
  if (process.platform === "win32") return [];
  const file = databaseFile(folder);
  const files = ["", "-wal", "-shm"].map((suffix) => file + suffix);
  return [folder, ...files, adminSecretFile(folder)].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? [] : openTo(path, found);
  });
}

/** Others can read it: failed. Only its group can: that may be meant. */
function openTo(path: string, found: Stats): CheckResult[] {
  const { mode } = found;
  const rights = (mode & 0o777).toString(8);
  const way = `Close it: chmod ${found.isDirectory() ? 700 : 600} ${path}`;
  if ((mode & 0o007) !== 0) return [failed("permissions", `${path} is open to everybody (mode ${rights}). ${way}`)];
  if ((mode & 0o070) !== 0) return [warning("permissions", `${path} is open to its group (mode ${rights}). ${way}`)];
  return [];
}

function adminSecret(folder: string): CheckResult {
  const file = adminSecretFile(folder);
  if (!existsSync(file)) return ok("admin secret", "none yet; serve and token make one");
  try {
    const { length } = readFileSync(file);
    if (length >= secretBytes) return ok("admin secret", `${length} bytes`);
    return failed("admin secret", `${file} has ${length} of ${secretBytes} bytes. Remove it; a new one is made.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return failed("admin secret", `${file} cannot be read: ${code}. Give it to the user that serves.`);
  }
}

function space(folder: string): CheckResult {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = statSync(databaseFile(folder), { throwIfNoEntry: false })?.size ?? 0;
  const text = `${formatBytes(free)} free`;
  if (free < freeMin) return failed("disk", `only ${text} in ${folder}. Make room: a full disk takes no writes.`);
  if (free >= needed) return ok("disk", text);
  return warning(
    "disk",
    `${text} in ${folder}, less than the database has: no room for a backup or a migration there.`,
  );
}

/** What a program left that was killed while it made a file. */
function leftovers(folder: string, now: number): CheckResult[] {
  const drafts = globSync(["*.new-*", "backups/*.new-*"], { cwd: folder }).filter((name) => {
    return now - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now) > dayMs;
  });
  if (drafts.length === 0) return [];
  const names = drafts.slice(0, 5).map((name) => join(folder, name));
  return [warning("leftovers", `a program that was killed left ${names.join(", ")}. Remove them.`)];
}

function libc(): CheckResult {
  if (process.platform !== "linux") return ok("system", `${process.platform} ${process.arch}`);
  // To name the network's interfaces takes time, and tells nothing here.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const glibc = header?.glibcVersionRuntime;
  if (glibc !== undefined) return ok("system", `linux ${process.arch}, glibc ${glibc}`);
  return warning(
    "system",
    `linux ${process.arch} without glibc: this is not tried. Use a system with glibc ${glibcMin} or later.`,
  );
}
