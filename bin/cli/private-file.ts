import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setImmediate as yieldToEvents } from "node:timers/promises";
import { Failure } from "./errors.ts";
import type { ProgramProcess } from "./program-process.ts";

/** Signals that end the program. */
const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Bytes to write before signals are handled. Chunks that are ready at once don't yield to the event loop. */
const yieldAfterBytes = 262_144;

/**
 * Writes a file with mode 0600. The file appears under its name only when it is complete and synced to disk.
 * @returns the size in bytes
 * @throws Failure if the file exists
 */
export async function writePrivateFile(
  program: ProgramProcess,
  file: string,
  chunks: AsyncIterable<string>,
): Promise<number> {
  if (existsSync(file)) throw existsFailure(file);
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  const cancelRemoval = removeOnSignal(program, draft);
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    let [size, yieldedAt] = [0, 0];
    for await (const chunk of chunks) {
      const bytes = Buffer.from(chunk);
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
      size += bytes.length;
      if (size - yieldedAt < yieldAfterBytes) continue;
      yieldedAt = size;
      await yieldToEvents();
    }
    fsyncSync(descriptor);
    linkSync(draft, file);
    syncFolderOf(file);
    return size;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? existsFailure(file) : error;
  } finally {
    cancelRemoval();
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

/** Removes an incomplete file if a signal ends the program. Returns a function that cancels this. */
export function removeOnSignal(program: ProgramProcess, file: string): () => void {
  const removeAndExit = (): void => {
    rmSync(file, { force: true });
    program.exit(1);
  };
  for (const signal of endSignals) program.once(signal, removeAndExit);
  return () => {
    for (const signal of endSignals) program.off(signal, removeAndExit);
  };
}

/** Syncs the folder of a file, so that its name survives a power loss. Windows can't sync a folder. */
export function syncFolderOf(file: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(resolve(file)), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function existsFailure(file: string): Failure {
  return new Failure(`${file} already exists and isn't overwritten. Choose another name.`);
}

/** Permission bits of other users and of the group. */
const [othersMode, groupMode, groupReadMode] = [0o007, 0o070, 0o040];

/**
 * Checks that only the owner can access a secret file. A group may read a file of root, because orchestrators mount
 * secrets that way.
 * @throws Failure with the command that fixes the permissions
 */
export function assertPrivate(file: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(file);
  const isMounted = uid === 0 && process.getuid?.() !== 0;
  const excess = mode & (othersMode | (isMounted ? groupMode & ~groupReadMode : groupMode));
  if (excess === 0) return;
  const octal = (mode & 0o777).toString(8);
  throw new Failure(`${file} contains a secret and other users can access it (mode ${octal}). Run: chmod 600 ${file}`);
}
