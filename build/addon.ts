import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdirPrivate } from "#lib/sqlite";
import { Failure } from "../bin/cli/errors.ts";
import { lastDataFolder } from "../bin/database/data-folder.ts";

/**
 * Loads the SQLite addon of the binary. The bundle replaces the loader of better-sqlite3 by this module.
 */

/** Name of the asset in the binary, and of its file on disk. */
export const addonName = "better_sqlite3.node";

let storedFile: { readonly path: string; readonly identity: string } | undefined;

/**
 * Returns the file of the loaded addon, or undefined if it is gone or another version of the program replaced it. Two
 * copies of SQLite in one process would release each other's locks.
 */
export function addonFile(): string | undefined {
  return storedFile?.identity === fileIdentity(storedFile?.path) ? storedFile?.path : undefined;
}

function fileIdentity(path: string | undefined): string | undefined {
  const found = path === undefined ? undefined : fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Loads the addon from a file, because the system can't load it from memory. Uses the file in the data folder and
 * rewrites it if it differs, or else a temporary file.
 * @throws Failure if no folder allows executable files
 */
export function loadAddon(bytes: Uint8Array, data: string | undefined = lastDataFolder()): unknown {
  const errors: string[] = [];
  for (const load of [data === undefined ? undefined : loaderIn(data), loadTemporary]) {
    if (load === undefined) continue;
    try {
      return load(bytes);
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  throw new Failure(`Cannot load SQLite from a file: ${errors.join("; ")}. ${hint}`);
}

const hint = "Set TMPDIR to a folder that allows executable files.";

type Loader = (bytes: Uint8Array) => unknown;

/**
 * Returns a loader for `native` in the data folder. Returns undefined if it is missing, not writable or not private.
 */
function loaderIn(data: string): Loader | undefined {
  const folder = join(data, "native");
  try {
    if (!fs.existsSync(data)) return undefined;
    mkdirPrivate(folder);
    if (!fs.lstatSync(folder).isDirectory() || !isPrivate(folder)) return undefined;
  } catch {
    // Not writable. The caller uses a temporary file.
    return undefined;
  }
  return (bytes) => {
    const file = join(folder, addonName);
    if (!isCurrent(file, bytes)) replace(file, bytes);
    const identity = fileIdentity(file);
    const loaded = openAddon(file);
    storedFile = identity === undefined ? undefined : { path: file, identity };
    return loaded;
  };
}

/** Loads from a private temporary folder, which is removed at once. */
const loadTemporary: Loader = (bytes) => {
  const folder = fs.mkdtempSync(join(tmpdir(), "crm-integrations-"));
  try {
    const file = join(folder, addonName);
    fs.writeFileSync(file, bytes, { mode: 0o500 });
    return openAddon(file);
  } finally {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // Windows can't remove a loaded file.
    }
  }
};

/** Returns whether only this user owns the path and can write to it. Windows has no such modes. */
function isPrivate(path: string): boolean {
  const { uid, mode } = fs.lstatSync(path);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function isCurrent(file: string, bytes: Uint8Array): boolean {
  try {
    return fs.lstatSync(file).isFile() && isPrivate(file) && fs.readFileSync(file).equals(bytes);
  } catch {
    return false;
  }
}

/** Replaces the file by a rename, so that a concurrent start finds the old file or the new one. */
function replace(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, bytes, { mode: 0o500, flag: "wx" });
  fs.renameSync(draft, file);
}

function openAddon(file: string): unknown {
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch (error) {
    if (!isNoexec(file)) throw error;
    throw new Error(`${file} is on a disk that is mounted noexec`, { cause: error });
  }
  return loaded.exports;
}

/** Returns whether the file is on a noexec mount, or false if that is unknown. */
function isNoexec(file: string): boolean {
  try {
    const path = fs.realpathSync(file);
    const mounts = fs
      .readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .map(([, , , , point = "", options = ""]) => ({ point: decodeOctal(point), options: options.split(",") }))
      .filter(({ point }) => path === point || path.startsWith(point === "/" ? "/" : `${point}/`));
    // Of several mounts at one path, the last is visible.
    const lengths = mounts.map(({ point }) => point.length);
    const top = mounts.findLast(({ point }) => point.length === Math.max(...lengths));
    return top?.options.includes("noexec") === true;
  } catch {
    return false;
  }
}

/** Decodes the octal escapes of mountinfo, such as `\040` for a space. */
function decodeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
