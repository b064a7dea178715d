import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdirPrivate } from "#lib/sqlite";
import { Failure } from "../cli/usage.ts";

/** The name of SQLite's code among what the binary carries, and as a file. */
export const addonName = "better_sqlite3.node";

let dataFolder: string | undefined;
let storedFile: { readonly path: string; readonly standing: string } | undefined;

/**
 * The file from which SQLite's code was loaded; undefined where that is gone, or nothing was loaded. Another version of the
 * program puts its own in that place: loaded beside the first, the two would undo each other's locks.
 */
export function addonFile(): string | undefined {
  return storedFile?.standing === fileIdentity(storedFile?.path) ? storedFile?.path : undefined;
}

function fileIdentity(path: string | undefined): string | undefined {
  const found = path === undefined ? undefined : fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** The binary keeps SQLite's code beside this folder's database, where the folder is there by the time it is needed. */
export function keepAddonIn(folder: string): void {
  dataFolder = folder;
}

/**
 * Loads the code that the binary carries. The system takes it from a file only: one of the data folder, which is compared
 * byte for byte first and written anew where it differs, or else one that is gone at once.
 * @throws Failure where no folder lets programs run
 */
export function loadAddon(bytes: Uint8Array, data: string | undefined = dataFolder): unknown {
  const faults: string[] = [];
  for (const place of [data === undefined ? undefined : kept(data), passing]) {
    if (place === undefined) continue;
    try {
      return place(bytes);
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  throw new Failure(
    `The code of SQLite, which this program carries, must be loaded from a file, and that fails: ${faults.join("; ")}. ${wayOut}`,
  );
}

const wayOut = "Name a folder from which programs may run: TMPDIR=/path/to/folder.";

type Loading = (bytes: Uint8Array) => unknown;

/** In a folder of our own in the data folder; undefined where that is not there, or somebody else's. */
function kept(data: string): Loading | undefined {
  const folder = join(data, "native");
  try {
    if (!fs.existsSync(data)) return undefined;
    mkdirPrivate(folder);
    if (!fs.lstatSync(folder).isDirectory() || !isPrivate(folder)) return undefined;
  } catch {
    // A folder that cannot be written to: there is another.
    return undefined;
  }
  return (bytes) => {
    const file = join(folder, addonName);
    if (!isWhole(file, bytes)) replace(file, bytes);
    const standing = fileIdentity(file);
    const loaded = opened(file);
    storedFile = standing === undefined ? undefined : { path: file, standing };
    return loaded;
  };
}

/** In a folder that nobody else can look into, gone as soon as the code is in memory. */
const passing: Loading = (bytes) => {
  const folder = fs.mkdtempSync(join(tmpdir(), "crm-integrations-"));
  try {
    const file = join(folder, addonName);
    fs.writeFileSync(file, bytes, { mode: 0o500 });
    return opened(file);
  } finally {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // Windows lets nobody remove what is loaded.
    }
  }
};

/** Whether it is ours, and nobody but us may write to it. Windows has no such modes. */
function isPrivate(path: string): boolean {
  const { uid, mode } = fs.lstatSync(path);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function isWhole(file: string, bytes: Uint8Array): boolean {
  try {
    return fs.lstatSync(file).isFile() && isPrivate(file) && fs.readFileSync(file).equals(bytes);
  } catch {
    return false;
  }
}

/** Under another name first: a program that starts at the same time finds the old file or the new one. */
function replace(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, bytes, { mode: 0o500, flag: "wx" });
  fs.renameSync(draft, file);
}

function opened(file: string): unknown {
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch (error) {
    if (!isNoexec(file)) throw error;
    throw new Error(`${file} is on a disk that is mounted noexec`, { cause: error });
  }
  return loaded.exports;
}

/** Whether programs may not run where this file is; false where the system does not say. */
function isNoexec(file: string): boolean {
  try {
    const path = fs.realpathSync(file);
    const mounts = fs
      .readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .map(([, , , , point = "", options = ""]) => ({ point: unescaped(point), options: options.split(",") }))
      .filter(({ point }) => path === point || path.startsWith(point === "/" ? "/" : `${point}/`));
    // Of several at one place the last one is on top.
    const lengths = mounts.map(({ point }) => point.length);
    const top = mounts.findLast(({ point }) => point.length === Math.max(...lengths));
    return top?.options.includes("noexec") === true;
  } catch {
    return false;
  }
}

/** Blanks and the like stand as octal numbers there. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
