// These types don't import better-sqlite3, because users of the package don't install its types.

/** The number of commits and the duration of a completed transaction. */
export type CommitStats = { readonly commits: number; readonly durationMs: number };

/** A migration of a database file: the schema versions, and the copy of the file from before. */
export type MigrationResult = {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly backup: string;
};

/** Called with the result of a migration, before the storage uses the file. */
export type OnMigrated = (migrated: MigrationResult) => void;

export type CommitWorkerOptions = {
  /**
   * Runs commits on their own thread, so that reads don't wait for the disk. `true`: all commits. `false`: none.
   * Default: once commits have blocked the event loop for 100 ms in total, except for fast commits that follow another
   * one with no read in between. A database in memory has no such thread.
   */
  readonly commitWorker?: boolean | undefined;
  /** Called if the thread can't start or ends. Commits then run on the calling thread. Must not throw. */
  readonly onCommitWorkerError?: ((error: Error) => void) | undefined;
};

export type SqliteOptions = CommitWorkerOptions & {
  readonly file: string;
  /** Called after each transaction with at least one commit. Must not throw. */
  readonly onCommit?: ((batch: CommitStats) => void) | undefined;
  /**
   * Milliseconds that a commit waits while another process holds the lock of the database. Then it rejects with
   * `StorageUnavailable`. Default: 5,000. It never blocks the event loop.
   */
  readonly lockTimeoutMs?: number | undefined;
  /** Memory for pages that were read, in MiB. A larger cache makes reads faster and takes more memory. Default: 32. */
  readonly cacheMb?: number | undefined;
  /**
   * Whether the file has an index for `GET /search`. `false` removes it, `true` builds it. By default, an existing file
   * isn't changed, and a new file has an index. Restart the other processes that have the file open after a change.
   */
  readonly search?: boolean | undefined;
  /** Called before `search: true` builds the index, which blocks the thread for about a minute per million records. */
  readonly onSearchBuild?: (() => void) | undefined;
  /** Called after an older file was migrated. */
  readonly onMigrated?: OnMigrated;
};
