import type { Writable } from "node:stream";
import type { Storage } from "#lib";
import {
  type MigrationResult,
  type SqliteOptions,
  schemaVersion,
  sqliteRequestLog,
  sqliteSnapshot,
  sqliteStorage,
} from "#lib/sqlite";
import { Failure, UsageError } from "../cli/errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { stringSetting } from "../cli/setting.ts";
import { databaseFile, defaultData, pathExists, requestLogFile } from "./data-folder.ts";
import type { OpenDatabase, OpenOptions, OpenRequestLog } from "./open-database.ts";
import { openPostgres, openPostgresRequestLog, openPostgresSnapshot, publicAddress } from "./postgres-database.ts";

/** Settings that select the database. Only one of them can be set. */
export const databaseSettings = {
  data: stringSetting("DIR", `data folder with the SQLite database (default: ${defaultData})`),
  database: stringSetting("URL", "PostgreSQL database instead of a data folder, such as postgres://crm@localhost/crm", {
    secret: true,
  }),
} as const;

export type DatabaseValues = { readonly data?: string | undefined; readonly database?: string | undefined };

/**
 * Opens the database of `--database` or `--data`.
 * @throws UsageError if both are set
 * @throws Failure if the database doesn't exist or can't be opened
 */
export async function openDatabase(
  { data, database }: DatabaseValues,
  { stderr }: Pick<ProgramProcess, "stderr">,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  if (database === undefined) return openFolder(data ?? defaultData, noticesTo(stderr), options);
  assertNoDataFolder(data);
  const { connections, onCommit, search } = options;
  return openPostgres(database, { connections, onCommit, search, onSearchBuild: noticesTo(stderr).onSearchBuild });
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

const dayMs = 86_400_000;

/** Opens the request log to read it. Needs an existing database. @throws UsageError if both settings are set */
export async function openRequestLog({ data, database }: DatabaseValues): Promise<OpenRequestLog> {
  if (database !== undefined) return openPostgresRequestLog(database);
  return folderRequestLog(data ?? defaultData, 1);
}

function folderRequestLog(folder: string, days: number): OpenRequestLog & { removeTenant(tenantId: string): void } {
  return sqliteRequestLog({ file: requestLogFile(folder), maxAgeMs: days * dayMs });
}

/** Removes a tenant from the request log of a data folder. */
export function removeTenantRequests(folder: string, tenantId: string): void {
  const log = folderRequestLog(folder, 1);
  log.removeTenant(tenantId);
  log.close();
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
  const none = {
    schema: schemaVersion,
    name: undefined,
    folder: undefined,
    flag: "",
    isNew: false,
    openRequestLog: () => undefined,
  };
  return { ...none, storage, exclusively: (work) => work(), probe };
}

function openFolder(
  folder: string,
  notices: Notices,
  { create, onCommit, onCommitWorkerError = notices.onCommitWorkerError, search, cacheMb }: OpenOptions,
): OpenDatabase {
  const file = databaseFile(folder);
  const isNew = !pathExists(file);
  if (isNew && create !== true)
    throw new Failure(`No database at ${file}. Create one with init, or select another with --data or --database.`);
  const storage = sqliteStorage({
    ...{ file, onCommit, search, cacheMb },
    ...notices,
    onCommitWorkerError,
  });
  const probe = probeWith(storage);
  const names = { schema: schemaVersion, name: file, folder, flag: `--data ${folder}` };
  const openLog = (days: number): OpenRequestLog => folderRequestLog(folder, days);
  return { ...names, storage, isNew, exclusively: (work) => work(), probe, openRequestLog: openLog };
}

/** Pruning before 1970 removes nothing, but takes the same lock as a commit. */
function probeWith(storage: Storage): OpenDatabase["probe"] {
  return () => storage.pruneIdempotencyRecords(0);
}

type Notices = Required<Pick<SqliteOptions, "onSearchBuild" | "onMigrated" | "onCommitWorkerError">>;

/** Prints what an operator has to know about the start. */
function noticesTo(stderr: Writable): Notices {
  const print = (text: string): void => void stderr.write(`crm-integrations: ${text}\n`);
  return {
    onSearchBuild: () => print("building the search index from all records; the server starts after that"),
    onMigrated: (migration) => print(describeMigration(migration)),
    onCommitWorkerError: ({ message }) =>
      print(`Cannot start the commit worker, so reads wait for commits: ${message}`),
  };
}

/** Describes a migration in a sentence with the path of the backup. */
export function describeMigration({ file, from, to, backup }: MigrationResult): string {
  return `Migrated ${file} from schema ${from} to ${to}. The backup is ${backup}.`;
}
