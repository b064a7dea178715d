import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Failure } from "./usage.ts";

/**
 * Writes a file that only its owner can read: it has its name once it is whole and on the disk, or never.
 * @returns its size in bytes
 * @throws Failure where something has that name already
 */
export async function writePrivately(file: string, pieces: AsyncIterable<string>): Promise<number> {
  if (existsSync(file)) throw isThere(file);
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  const remove = (): void => rmSync(draft, { force: true });
  const leave = (): void => {
    remove();
    process.exit(1);
  };
  const descriptor = openSync(draft, "wx", 0o600);
  process.once("SIGINT", leave).once("SIGTERM", leave);
  try {
    let size = 0;
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      size += bytes.length;
    }
    fsyncSync(descriptor);
    linkSync(draft, file);
    syncNameOf(file);
    return size;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? isThere(file) : error;
  } finally {
    process.off("SIGINT", leave).off("SIGTERM", leave);
    closeSync(descriptor);
    remove();
  }
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
