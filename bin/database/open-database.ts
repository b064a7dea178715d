import type { RequestLog, Storage } from "#lib";
import type { SqliteOptions } from "#lib/sqlite";

/** Connections of a pool, and the number of requests that wait for one. */
export type PoolCounts = { readonly total: number; readonly idle: number; readonly waiting: number };

/** A request log that is in the data folder or in the database. */
export type OpenRequestLog = RequestLog & { close(): void };

/** An open database. */
export type OpenDatabase = {
  readonly storage: Storage;
  /** File, or address without a password, for messages. Undefined if in memory. */
  readonly name: string | undefined;
  /** The data folder; undefined if in memory or in PostgreSQL. */
  readonly folder: string | undefined;
  /** The flag that selects this database, for command lines in messages. */
  readonly flag: string;
  /** The version of the schema. */
  readonly schema: number;
  /** Whether this call created the database. Always false for PostgreSQL. */
  readonly isNew: boolean;
  /** Runs work that only one of several servers may run at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Takes the lock of a commit and writes nothing. @throws if a commit isn't possible */
  probe(): Promise<unknown>;
  /** Returns the request log of the database, which keeps entries for some days. Undefined if in memory. */
  openRequestLog(days: number): OpenRequestLog | undefined;
  /** PostgreSQL only. */
  readonly pool?: () => PoolCounts;
};

/** `create` allows a new database. `connections` is the pool size of PostgreSQL, and `cacheMb` is for SQLite. */
export type OpenOptions = Pick<SqliteOptions, "onCommit" | "onCommitWorkerError" | "search" | "cacheMb"> & {
  readonly create?: boolean;
  readonly connections?: number;
};
