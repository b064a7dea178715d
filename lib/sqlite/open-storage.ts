import type { Storage } from "../storage.ts";
import type { CommitBatch } from "./commit-batch.ts";
import { Place } from "./place.ts";
import { SqliteStorage } from "./storage.ts";

// What this declares names no type of better-sqlite3, whose types those who install this package do not have.

export type SqliteOptions = {
  readonly file: string;
  /** Told of each transaction that wrote, after those who waited for it: for metrics. Must not throw. */
  readonly onCommit?: (batch: CommitBatch) => void;
};

/**
 * SQLite in a file, or in memory under ":memory:". Several processes may share a file.
 * @throws DatabaseRefused where the file is empty, foreign, newer or corrupt.
 */
export function sqliteStorage({ file, onCommit }: SqliteOptions): Storage {
  return new SqliteStorage(new Place(file), onCommit);
}
