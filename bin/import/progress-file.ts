import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { ImportCounts } from "#lib/transfer";
import { Failure } from "../cli/errors.ts";

/** The saved progress of an import. */
export type Progress = {
  readonly version: 1;
  /** Identifies the import: hash of the file, tenant and options. */
  readonly about: Readonly<Record<string, unknown>> & { readonly sha256: string };
  /** Random after --restart, so that rows get new record IDs. Otherwise empty. */
  readonly nonce: string;
  /** Completed rows. */
  readonly rows: number;
  readonly counts: ImportCounts;
  /** Size of the file of rejected rows at that time. */
  readonly rejectedBytes: number;
};

/** Reads the progress file. Returns undefined if there is none. @throws Failure if it is invalid */
export function readProgress(file: string): Progress | undefined {
  try {
    const progress = JSON.parse(readFileSync(file, "utf8")) as Progress;
    if (progress.version === 1) return progress;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  }
  throw new Failure(`Cannot read the progress file ${file}. Start over with --restart.`);
}

/** Replaces the progress file by a rename, so that a crash leaves the old or the new file. @throws Failure */
export function writeProgress(file: string, progress: Progress): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(progress)}\n`, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    rmSync(draft, { force: true });
    if (code === "ENOSPC") throw diskFullFailure(file);
    throw new Failure(
      `Cannot write ${file} (${code}). Set another path for the progress and the rejected rows with --rejected FILE.`,
    );
  }
}

/** Returns the error of a full disk. */
export function diskFullFailure(file: string): Failure {
  return new Failure(`Cannot write ${file}: the disk is full. Free disk space and run the same command again.`);
}
