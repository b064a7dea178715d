import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Failure } from "../cli/errors.ts";

/** What became of the rows so far. */
export type Counts = {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
};

/** How far an import has come, and which import it is. */
export type Progress = {
  readonly version: 1;
  /** What makes another run the same import: the file's hash, the tenant, the options. */
  readonly about: Readonly<Record<string, unknown>> & { readonly sha256: string };
  /** Empty, or what sets this import apart from earlier ones of the same file. */
  readonly nonce: string;
  /** All rows up to this one are done. */
  readonly rows: number;
  readonly counts: Counts;
  /** How long the file of rejected rows was then. */
  readonly rejectedBytes: number;
};

/** What an interrupted import has left behind, if there is one. @throws Failure where it cannot be understood */
export function readProgress(file: string): Progress | undefined {
  try {
    const progress = JSON.parse(readFileSync(file, "utf8")) as Progress;
    if (progress.version === 1) return progress;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  }
  throw new Failure(`${file} says how far an import has come, and cannot be read. Begin anew with --restart.`);
}

/** Takes the place of what stood there at once, so that a crash leaves the one or the other. @throws Failure */
export function writeProgress(file: string, progress: Progress): void {
  const draft = `${file}.new`;
  try {
    writeWhole(draft, `${JSON.stringify(progress)}\n`);
    renameSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    rmSync(draft, { force: true });
    if (code === "ENOSPC") throw fullDisk(file);
    throw new Failure(
      `${file} cannot be written (${code}). Name a place for it and the rejected rows with --rejected FILE.`,
    );
  }
}

function writeWhole(file: string, text: string): void {
  const descriptor = openSync(file, "w", 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What is said where a file beside the database finds no room. */
export function fullDisk(file: string): Failure {
  return new Failure(`${file} cannot be written: its disk is full. Make room, and run the same command again.`);
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}
