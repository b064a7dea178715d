import { randomBytes } from "node:crypto";
import { fstatSync, rmSync, type Stats, statSync } from "node:fs";
import type { ImportCounts, RawRow, RejectShape } from "#lib/transfer";
import { Failure } from "../cli/errors.ts";
import { stdio } from "./input-source.ts";
import { type Progress, readProgress, writeProgress } from "./progress-file.ts";
import { RejectedRows } from "./rejected-rows.ts";

/** Files of an import, and the options that identify it. */
export type ImportStateOptions = {
  readonly file: string;
  readonly rejected: string | undefined;
  readonly dryRun: boolean;
  readonly restart: boolean;
  readonly source: RejectShape;
  /** Identifies the import. Undefined if the source can't be read again. */
  readonly about: Progress["about"] | undefined;
};

type StartPosition = Pick<Progress, "nonce" | "rows" | "counts"> & { readonly isResumed: boolean };

/** Minimum time between two writes of the progress file, which wait for the disk. */
const saveIntervalMs = 500;
const zeroCounts: ImportCounts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };

/** The rejected rows and the progress of one import. A dry run has neither, except with `--rejected`. */
export class ImportState {
  readonly #options: ImportStateOptions;
  readonly #rejects: RejectedRows | undefined;
  /** Undefined if the import can't be resumed. */
  readonly #progressFile: string | undefined;
  #progress: Pick<Progress, "nonce" | "rows" | "counts"> = { nonce: "", rows: 0, counts: zeroCounts };
  #savedAt = Number.NEGATIVE_INFINITY;
  #open = false;

  /** @throws UsageError if the file for rejected rows is invalid */
  constructor(options: ImportStateOptions) {
    const { file, rejected, dryRun, source, about } = options;
    const base = file === stdio ? "stdin" : file;
    const rejectedFile = rejected ?? `${base}.rejected.${source.format}`;
    this.#options = options;
    this.#rejects = dryRun && rejected === undefined ? undefined : new RejectedRows(rejectedFile, source);
    this.#rejects?.assertNotInput(inputStats(file));
    const progressBase = rejected === undefined || this.#rejects?.isFile === false ? base : rejected;
    this.#progressFile = dryRun || about === undefined ? undefined : `${progressBase}.progress.json`;
  }

  /** Returns the position to start from. @throws Failure if another import of this file was interrupted */
  begin(): StartPosition {
    const { restart, about } = this.#options;
    const found = restart || this.#progressFile === undefined ? undefined : readProgress(this.#progressFile);
    if (found !== undefined) assertSameImport(found, about, this.#options.file);
    this.#rejects?.begin(found?.rejectedBytes ?? 0);
    const nonce = restart ? randomBytes(8).toString("hex") : "";
    this.#progress = found ?? { nonce, rows: 0, counts: zeroCounts };
    this.#open = true;
    this.#save();
    return { ...this.#progress, isResumed: found !== undefined };
  }

  reject(row: RawRow, errors: readonly string[]): void {
    this.#rejects?.add(row, errors);
  }

  done(rows: number, counts: ImportCounts): void {
    this.#progress = { ...this.#progress, rows, counts };
    if (performance.now() - this.#savedAt > saveIntervalMs) this.#save();
  }

  /** Removes the progress file after the last row. */
  finish(): void {
    this.#rejects?.close();
    if (this.#progressFile !== undefined) rmSync(this.#progressFile, { force: true });
    this.#open = false;
  }

  /** Saves the progress, so that the same command resumes, unless `finish` was called. */
  close(): void {
    if (!this.#open) return;
    this.#save();
    this.#rejects?.close();
    this.#open = false;
  }

  /** The file of rejected rows. Undefined if no row was rejected. */
  get rejectedFile(): string | undefined {
    return this.#progress.counts.rejected > 0 ? this.#rejects?.file : undefined;
  }

  get canResume(): boolean {
    return this.#progressFile !== undefined;
  }

  /** Syncs the rejected rows first, because the progress file refers to them. */
  #save(): void {
    const rejectedBytes = this.#rejects?.sync() ?? 0;
    const { about } = this.#options;
    if (this.#progressFile !== undefined && about !== undefined) {
      writeProgress(this.#progressFile, { version: 1, about, ...this.#progress, rejectedBytes });
    }
    this.#savedAt = performance.now();
  }
}

/** Returns the stats of the input, to compare them with the output. */
function inputStats(file: string): Stats | undefined {
  return file === stdio ? fstatSync(0) : statSync(file, { throwIfNoEntry: false });
}

function assertSameImport(found: Progress, about: Progress["about"] | undefined, file: string): void {
  const changed = Object.entries(about ?? {}).filter(([name, value]) => {
    return JSON.stringify(found.about[name]) !== JSON.stringify(value);
  });
  if (changed.length === 0) return;
  const names = changed.map(([name]) => name);
  const reason = names.includes("sha256")
    ? `${file} changed after its import was interrupted at row ${found.rows}.`
    : `The import of ${file} that was interrupted at row ${found.rows} had other options (${names.join(", ")}).`;
  throw new Failure(
    `${reason} Restore them to resume, or start over with --restart. A restart creates the imported rows again, unless you use --upsert-by.`,
  );
}
