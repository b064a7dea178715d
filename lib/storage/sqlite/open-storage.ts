import type { Storage } from "../storage.ts";
import { DatabaseFile } from "./database-file.ts";
import { resolvePath } from "./durable-fs.ts";
import { migrations } from "./migrations.ts";
import { openWriter } from "./open.ts";
import type { CommitBatch, CommitWorkerOptions, OnMigrated } from "./options.ts";
import { SqliteStorage } from "./storage.ts";

export type SqliteOptions = CommitWorkerOptions & {
  readonly file: string;
  /** Told of each transaction that wrote, after those who waited for it: for metrics. Must not throw. */
  readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
  /** Told of an older file that was brought up to date, and where it was copied to before. */
  readonly onMigrated?: OnMigrated;
};

/**
 * SQLite in a file, or in memory under ":memory:". Several processes may share a file. An older file is copied beside
 * itself before it is brought up to date.
 * @throws DatabaseError where the file is empty, foreign, newer or corrupt.
 */
export function sqliteStorage({ file, onCommit, onMigrated, ...apart }: SqliteOptions): Storage {
  const open = (path: string) => openWriter(path, migrations, onMigrated);
  const place = file === ":memory:" ? file : resolvePath(file);
  return new SqliteStorage(new DatabaseFile(place, open, apart), onCommit);
}
