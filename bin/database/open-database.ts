import type { Storage } from "#lib";
import type { SqliteOptions } from "#lib/sqlite";

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
