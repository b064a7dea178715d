import { randomBytes } from "node:crypto";
import { fstatSync, type Stats, statSync } from "node:fs";
import { Failure } from "../cli/errors.ts";
import { type Counts, type Progress, readProgress, removeProgress, writeProgress } from "./progress-file.ts";
import { Rejects } from "./rejects.ts";
import type { OpenRows, RawRow } from "./rows.ts";
import { standard } from "./source.ts";

/** What an import leaves on the disk beside the records. */
export type ImportStateOptions = {
  readonly file: string;
  readonly rejected: string | undefined;
  readonly dryRun: boolean;
  readonly restart: boolean;
  readonly source: Pick<OpenRows, "format" | "head" | "delimiter" | "marked">;
  /** What makes another run the same import; undefined where the file cannot be read again. */
  readonly about: Progress["about"] | undefined;
};

type Begun = Pick<Progress, "nonce" | "rows" | "counts"> & { readonly isResumed: boolean };

/** How often progress is put on the disk, which is waited for. */
const saveEveryMs = 500;
const none: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };

/** The rejected rows and the progress of one import. A dry run has neither, unless a file for the rows is named. */
export class ImportState {
  readonly #asked: ImportStateOptions;
  readonly #rejects: Rejects | undefined;
  /** Undefined where the import cannot be gone on with. */
  readonly #progressFile: string | undefined;
  #reached: Pick<Progress, "nonce" | "rows" | "counts"> = { nonce: "", rows: 0, counts: none };
  #savedAt = Number.NEGATIVE_INFINITY;
  #open = false;

  /** @throws UsageError where rejected rows cannot go where they are to */
  constructor(asked: ImportStateOptions) {
    const { file, rejected, dryRun, source, about } = asked;
    const base = file === standard ? "stdin" : file;
    const rejectedFile = rejected ?? `${base}.rejected.${source.format}`;
    this.#asked = asked;
    this.#rejects = dryRun && rejected === undefined ? undefined : new Rejects(rejectedFile, source);
    this.#rejects?.assertNot(inputOf(file));
    const beside = rejected === undefined || this.#rejects?.isFile === false ? base : rejected;
    this.#progressFile = dryRun || about === undefined ? undefined : `${beside}.progress.json`;
  }

  /** Where to begin. @throws Failure where another import was interrupted here */
  begin(): Begun {
    const { restart, about } = this.#asked;
    const found = restart || this.#progressFile === undefined ? undefined : readProgress(this.#progressFile);
    if (found !== undefined) assertSame(found, about, this.#asked.file);
    this.#rejects?.begin(found?.rejectedBytes ?? 0);
    const nonce = restart ? randomBytes(8).toString("hex") : "";
    this.#reached = found ?? { nonce, rows: 0, counts: none };
    this.#open = true;
    this.#save();
    return { ...this.#reached, isResumed: found !== undefined };
  }

  reject(row: RawRow, errors: readonly string[]): void {
    this.#rejects?.add(row, errors);
  }

  done(rows: number, counts: Counts): void {
    this.#reached = { ...this.#reached, rows, counts };
    if (performance.now() - this.#savedAt > saveEveryMs) this.#save();
  }

  /** All rows are done: nothing is left to go on with. */
  finish(): void {
    this.#rejects?.close();
    if (this.#progressFile !== undefined) removeProgress(this.#progressFile);
    this.#open = false;
  }

  /** Leaves things so that the same command goes on, unless all is done. */
  close(): void {
    if (!this.#open) return;
    this.#save();
    this.#rejects?.close();
    this.#open = false;
  }

  /** The file of rejected rows, where there is one. */
  get rejectedFile(): string | undefined {
    return this.#reached.counts.rejected > 0 ? this.#rejects?.file : undefined;
  }

  get canGoOn(): boolean {
    return this.#progressFile !== undefined;
  }

  /** The rejected rows first: what progress says must be there. */
  #save(): void {
    const rejectedBytes = this.#rejects?.sync() ?? 0;
    const { about } = this.#asked;
    if (this.#progressFile !== undefined && about !== undefined) {
      writeProgress(this.#progressFile, { version: 1, about, ...this.#reached, rejectedBytes });
    }
    this.#savedAt = performance.now();
  }
}

/** What is read, to tell it from what is written. */
function inputOf(file: string): Stats | undefined {
  return file === standard ? fstatSync(0) : statSync(file, { throwIfNoEntry: false });
}

function assertSame(found: Progress, about: Progress["about"] | undefined, file: string): void {
  const changed = Object.entries(about ?? {}).filter(([name, value]) => {
    return JSON.stringify(found.about[name]) !== JSON.stringify(value);
  });
  if (changed.length === 0) return;
  const names = changed.map(([name]) => name);
  const what = names.includes("sha256")
    ? `${file} has changed since its import was interrupted after row ${found.rows}.`
    : `The import of ${file} that was interrupted after row ${found.rows} was called otherwise (${names.join(", ")}).`;
  throw new Failure(
    `${what} Go on with it as it was, or begin anew with --restart: rows that went in are then made again, unless --upsert-by finds them.`,
  );
}
