import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Failure } from "./usage.ts";

/** What ends a program from outside: Ctrl-C, a service manager, a terminal that is closed. */
const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** After how much a signal is listened for: pieces that need not be waited for leave no turn to it. */
const hearEveryBytes = 262_144;

/**
 * Writes a file that only its owner can read: it has its name once it is whole and on the disk, or never.
 * @returns its size in bytes
 * @throws Failure where something has that name already
 */
export async function writePrivately(file: string, pieces: AsyncIterable<string>): Promise<number> {
  if (existsSync(file)) throw isThere(file);
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  const keep = removeOnSignal(draft);
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    let [size, heard] = [0, 0];
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      size += bytes.length;
      if (size - heard < hearEveryBytes) continue;
      heard = size;
      await turn();
    }
    fsyncSync(descriptor);
    linkSync(draft, file);
    syncNameOf(file);
    return size;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? isThere(file) : error;
  } finally {
    keep();
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

/** Where a signal ends the program, this file goes with it, because it is not whole. @returns what takes that back */
export function removeOnSignal(file: string): () => void {
  const leave = (): void => {
    rmSync(file, { force: true });
    process.exit(1);
  };
  for (const signal of endings) process.once(signal, leave);
  return () => {
    for (const signal of endings) process.off(signal, leave);
  };
}

/** The name of the file is on the disk. Windows keeps names unasked, and refuses to be asked. */
export function syncNameOf(file: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(resolve(file)), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function isThere(file: string): Failure {
  return new Failure(`${file} is there already, and nothing is overwritten. Name another file.`);
}
