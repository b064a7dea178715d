import type { Storage } from "#lib";
import { type MigrationResult, type SqliteOptions, sqliteSnapshot, sqliteStorage } from "#lib/sqlite";
import { Failure, UsageError } from "../cli/errors.ts";
import { stringSetting } from "../cli/setting.ts";
import { databaseFile, defaultData, pathExists } from "./data-folder.ts";
import { openPostgres, openPostgresSnapshot, publicAddress } from "./postgres-database.ts";

/** Settings that select the database. Only one of them can be set. */
export const databaseSettings = {
  data: stringSetting("DIR", `data folder with the SQLite database (default: ${defaultData})`),
  database: stringSetting("URL", "PostgreSQL database instead of a data folder, such as postgres://crm@localhost/crm", {
    secret: true,
  }),
} as const;

export type DatabaseValues = { readonly data?: string | undefined; readonly database?: string | undefined };

/** Connections of a pool, and the number of requests that wait for one. */
export type PoolCounts = { readonly total: number; readonly idle: number; readonly waiting: number };

/** An open database. */
export type OpenDatabase = {
  readonly storage: Storage;
  /** File, or address without a password, for messages. Undefined if in memory. */
  readonly name: string | undefined;
  /** The data folder; undefined if in memory or in PostgreSQL. */
  readonly folder: string | undefined;
  /** The flag that selects this database, for command lines in messages. */
  readonly flag: string;
  /** Whether this call created the database. Always false for PostgreSQL. */
  readonly isNew: boolean;
  /** Runs work that only one of several servers may run at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Takes the lock of a commit and writes nothing. @throws if a commit isn't possible */
  probe(): Promise<unknown>;
  /** PostgreSQL only. */
  readonly pool?: () => PoolCounts;
};

/** `create` allows a new database. `connections` is the pool size of PostgreSQL, and `cacheMb` is for SQLite. */
export type OpenOptions = Pick<SqliteOptions, "onCommit" | "search" | "cacheMb"> & {
  readonly create?: boolean;
  readonly connections?: number;
};

/**
 * Opens the database of `--database` or `--data`.
 * @throws UsageError if both are set
 * @throws Failure if the database doesn't exist or can't be opened
 */
export async function openDatabase(
  { data, database }: DatabaseValues,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  if (database === undefined) return openFolder(data ?? defaultData, options);
  assertNoDataFolder(data);
  const { connections, onCommit, search } = options;
  return openPostgres(database, { connections, onCommit, search, onSearchBuild: printSearchBuild });
}

/**
 * Opens a read-only snapshot of the database.
 * @throws UsageError if both settings are set
 * @throws Failure if the database doesn't exist
 */
export async function openSnapshot({ data, database }: DatabaseValues): Promise<Storage> {
  if (database === undefined) return sqliteSnapshot({ file: databaseFile(data ?? defaultData) });
  assertNoDataFolder(data);
  return openPostgresSnapshot(database);
}

/**
 * Returns the data folder for a command that supports SQLite only.
 * @throws Failure with `postgresHint` if PostgreSQL is selected
 */
export function requireDataFolder({ data, database }: DatabaseValues, postgresHint: string): string {
  if (database === undefined) return data ?? defaultData;
  assertNoDataFolder(data);
  throw new Failure(`The database is PostgreSQL (${publicAddress(database)}). ${postgresHint}`);
}

/** @throws UsageError if `--data` is set as well as `--database` */
export function assertNoDataFolder(data: string | undefined): void {
  if (data !== undefined) throw new UsageError("Set --data or --database, not both.");
}

/** Opens an empty database in memory. */
export function openMemory(): OpenDatabase {
  const storage = sqliteStorage({ file: ":memory:" });
  const probe = probeWith(storage);
  return { storage, name: undefined, folder: undefined, flag: "", isNew: false, exclusively: (work) => work(), probe };
}

function openFolder(folder: string, { create, onCommit, search, cacheMb }: OpenOptions): OpenDatabase {
  const file = databaseFile(folder);
  const isNew = !pathExists(file);
  if (isNew && create !== true)
    throw new Failure(`No database at ${file}. Create one with init, or select another with --data or --database.`);
  const storage = sqliteStorage({
    file,
    onCommit,
    search,
    cacheMb,
    onSearchBuild: printSearchBuild,
    onMigrated: printMigration,
    onCommitWorkerError: warnNoCommitWorker,
  });
  const probe = probeWith(storage);
  return { storage, name: file, folder, flag: `--data ${folder}`, isNew, exclusively: (work) => work(), probe };
}

/** Pruning before 1970 removes nothing, but takes the same lock as a commit. */
function probeWith(storage: Storage): OpenDatabase["probe"] {
  return () => storage.pruneIdempotencyRecords(0);
}

function warnNoCommitWorker({ message }: Error): void {
  process.stderr.write(`crm-integrations: Cannot start the commit worker, so reads wait for commits: ${message}\n`);
}

/** Prints that the server starts later. */
function printSearchBuild(): void {
  process.stderr.write("crm-integrations: building the search index from all records; the server starts after that\n");
}

function printMigration(migration: MigrationResult): void {
  process.stderr.write(`crm-integrations: ${describeMigration(migration)}\n`);
}

/** Describes a migration in a sentence with the path of the backup. */
export function describeMigration({ file, from, to, backup }: MigrationResult): string {
  return `Migrated ${file} from schema ${from} to ${to}. The backup is ${backup}.`;
}
