// Hosts see these types: they stand where none of better-sqlite3 is named, which who installs this package does not have.

/** One transaction that ended: how many commits shared it, how many of them were refused, how long it took. */
export type CommitBatch = { readonly commits: number; readonly refused: number; readonly durationMs: number };

/** What was done to an older file, and where a copy of it as it was is kept. */
export type MigrationResult = {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly backup: string;
};

/** Hears of it before anything else is done with the file. */
export type OnMigrated = (migrated: MigrationResult) => void;

export type CommitWorkerOptions = {
  /**
   * Whether commits run on a thread of their own, so that reads do not wait for the disk: from the first on, or never.
   * Where nothing is said, once commits have stopped the event loop for a tenth of a second in all. In memory never.
   */
  readonly commitWorker?: boolean | undefined;
  /** Told why that thread cannot be had, or ended: commits run on the thread that answers then. Must not throw. */
  readonly onCommitWorkerError?: ((error: Error) => void) | undefined;
};
