import type { Storage } from "../storage.ts";
import { DatabaseFile } from "./database-file.ts";
import { resolvePath } from "./durable-fs.ts";
import { migrations } from "./migrations.ts";
import { openWriter } from "./open.ts";
import type { CommitBatch, CommitWorkerOptions, OnMigrated } from "./options.ts";
import { SqliteStorage } from "./storage.ts";

export type SqliteOptions = CommitWorkerOptions & {
  readonly file: string;
  /** Called after each transaction with at least one commit. Must not throw. */
  readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
  /** Called after an older file was migrated. */
  readonly onMigrated?: OnMigrated;
};

/**
 * Opens a storage in a SQLite file, or in memory if the file is ":memory:". Several processes can share a file. An older file
 * is copied and then migrated.
 * @throws DatabaseError if the file is empty, corrupt, newer, or belongs to another program
 */
export function sqliteStorage({ file, onCommit, onMigrated, ...apart }: SqliteOptions): Storage {
  const open = (path: string) => openWriter(path, migrations, onMigrated);
  const place = file === ":memory:" ? file : resolvePath(file);
  return new SqliteStorage(new DatabaseFile(place, open, apart), onCommit);
}
