import type { Storage } from "#lib";
import { type SqliteOptions, sqliteSnapshot, sqliteStorage } from "#lib/sqlite";
import { stringSetting } from "../cli/setting.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { databaseFile, dataDefault, isThere } from "./data-folder.ts";
import { printMigration } from "./migration-notice.ts";
import { nameOf, openPostgres, openPostgresSnapshot } from "./postgres-database.ts";

/** How every command is told where its records are: one of the two. */
export const databaseSettings = {
  data: stringSetting("DIR", `the folder of the database (default: ${dataDefault})`),
  database: stringSetting("URL", "PostgreSQL in place of a folder, such as postgres://crm@localhost/crm", {
    secret: true,
  }),
} as const;

export type DatabaseValues = { readonly data?: string | undefined; readonly database?: string | undefined };

/** Connections of a pool: how many there are, how many of them do nothing, and how many requests wait for one. */
export type PoolCounts = { readonly total: number; readonly idle: number; readonly waiting: number };

/** A database as a command has it. */
export type OpenDatabase = {
  readonly storage: Storage;
  /** What to call it in what a person reads: a file, or an address without a password; undefined in memory. */
  readonly name: string | undefined;
  /** The data folder; undefined in memory and on PostgreSQL. */
  readonly folder: string | undefined;
  /** The flag that names it once more, for a command line that is shown. */
  readonly flag: string;
  /** Whether it was made just now. Unknown of PostgreSQL, and false. */
  readonly isNew: boolean;
  /** Does this while no other program does the like with the same database: what only one of several servers may. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Begins what a commit begins, waits for the same locks and writes nothing. @throws where a commit could not be made */
  probe(): Promise<unknown>;
  /** On PostgreSQL: how the connections stand. */
  readonly pool?: () => PoolCounts;
};

/** How a database is opened: whether it may be made, and who is told of each transaction (of a folder's database). */
export type Opening = Pick<SqliteOptions, "onCommit"> & { readonly make?: boolean; readonly connections?: number };

/**
 * Opens what `--database` or `--data` names, and makes it where it may.
 * @throws UsageError where both are said @throws Failure where there is none, or it cannot be used
 */
export async function openStorage({ data, database }: DatabaseValues, options: Opening = {}): Promise<OpenDatabase> {
  if (database === undefined) return openFolder(data ?? dataDefault, options);
  assertOne(data);
  return openPostgres(database, options);
}

/**
 * What is there, to be read only, as it is at this moment, however long the reading takes.
 * @throws UsageError where both are said @throws Failure where there is none
 */
export async function openSnapshot({ data, database }: DatabaseValues): Promise<Storage> {
  if (database === undefined) return sqliteSnapshot({ file: databaseFile(data ?? dataDefault) });
  assertOne(data);
  return openPostgresSnapshot(database);
}

/**
 * For a command that is about SQLite's file. @throws Failure with what PostgreSQL has in its place, where that is said
 */
export function folderOf({ data, database }: DatabaseValues, inPlace: string): string {
  if (database === undefined) return data ?? dataDefault;
  assertOne(data);
  throw new Failure(`The records are in PostgreSQL (${nameOf(database)}). ${inPlace}`);
}

/** @throws UsageError where a folder was said beside PostgreSQL */
export function assertOne(data: string | undefined): void {
  if (data !== undefined) throw new UsageError("Give --data or --database, not both.");
}

/** A database that is gone with the program. */
export function openMemory(): OpenDatabase {
  const storage = sqliteStorage({ file: ":memory:" });
  const probe = probeOf(storage);
  return { storage, name: undefined, folder: undefined, flag: "", isNew: false, alone: (work) => work(), probe };
}

function openFolder(folder: string, { make, onCommit }: Opening): OpenDatabase {
  const file = databaseFile(folder);
  const isNew = !isThere(file);
  if (isNew && make !== true)
    throw new Failure(
      `There is no database ${file}. Make one with init, or name its folder with --data, or PostgreSQL with --database.`,
    );
  const storage = sqliteStorage({ file, onCommit, onMigrated: printMigration, onCommitWorkerError: tellThreadLost });
  const probe = probeOf(storage);
  return { storage, name: file, folder, flag: `--data ${folder}`, isNew, alone: (work) => work(), probe };
}

/** To forget what was made before all time takes SQLite's lock and asks where the file is, as a commit does. */
function probeOf(storage: Storage): OpenDatabase["probe"] {
  return () => storage.pruneIdempotencyRecords(0);
}

function tellThreadLost({ message }: Error): void {
  process.stderr.write(
    `crm-integrations: Commits have no thread of their own, so that reads wait for them: ${message}\n`,
  );
}
