import * as fs from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { isCounted, isEntry, type RequestEntry, type RequestLog } from "../request-log.ts";
import {
  countColumns,
  countValues,
  defaultMaxEntries,
  defaultMaxTenantEntries,
  entryColumns,
  entryValues,
  findStatement,
  type RequestLogDialect,
  type RequestLogLimits,
  TenantEntryCounts,
  toEntry,
  toTotal,
  totalsStatement,
} from "../sql/request-log.ts";
import { copyOwner } from "./file-system.ts";

/** A request log in a file of its own. */
export type SqliteRequestLog = RequestLog & {
  /** Removes the entries of a tenant. Does nothing if there is no file. */
  removeTenant(tenantId: string): void;
  close(): void;
};

export type SqliteRequestLogOptions = RequestLogLimits & { readonly file: string };

const dialect: RequestLogDialect = { placeholder: () => "?", isSame: "IS" };
const tables = { entries: "requests", counts: "request_counts" };
/** Time that a statement may block the event loop for the lock of another server. */
const busyTimeoutMs = 20;
/** Number of entries in a transaction, and of rows that are removed at once. Requests run in between. */
const chunkSize = 200;
const maxRemoved = 1_000;
const pruneIntervalMs = 60_000;
/** A tenant is checked each time it has got this share of its limit. */
const checkedShare = 20;
/** Increase it with each change of the schema. A file with another version is replaced. */
const schemaVersion = 1;

/** The index has all columns that are filtered, so that only matching rows are read. */
const schemaSql = `
  CREATE TABLE requests (
    tenant_id TEXT NOT NULL, at INTEGER NOT NULL, id TEXT NOT NULL, request_id TEXT NOT NULL, integration_id TEXT,
    key_id TEXT, user_id TEXT, operation TEXT NOT NULL, status INTEGER NOT NULL, code TEXT, duration_ms REAL NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX requests_by_time ON requests
    (tenant_id, at, id, integration_id, status, code, operation, user_id, key_id, duration_ms);
  CREATE INDEX requests_by_request_id ON requests (tenant_id, request_id);
  CREATE TABLE request_counts (
    tenant_id TEXT NOT NULL, at INTEGER NOT NULL, integration_id TEXT NOT NULL, operation TEXT NOT NULL,
    code TEXT NOT NULL, count INTEGER NOT NULL, client_errors INTEGER NOT NULL, server_errors INTEGER NOT NULL,
    duration_ms REAL NOT NULL, max_ms REAL NOT NULL,
    PRIMARY KEY (tenant_id, at, integration_id, operation, code)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX request_counts_by_time ON request_counts (at);
  PRAGMA user_version = ${schemaVersion};`;

const marks = (names: readonly string[]): string => names.map(() => "?").join(", ");
const insertEntrySql = `INSERT INTO requests (${entryColumns}) VALUES (${marks(entryColumns)})`;
const addCountsSql = `INSERT INTO request_counts (${countColumns}) VALUES (${marks(countColumns)})
  ON CONFLICT DO UPDATE SET count = count + excluded.count, client_errors = client_errors + excluded.client_errors,
    server_errors = server_errors + excluded.server_errors, duration_ms = duration_ms + excluded.duration_ms,
    max_ms = max(max_ms, excluded.max_ms)`;
/** Rows are in the order in which they were appended, so the oldest rows have the lowest row IDs. */
const removeOldSql = `DELETE FROM requests WHERE rowid IN
  (SELECT rowid FROM (SELECT rowid, at FROM requests ORDER BY rowid LIMIT ${maxRemoved}) WHERE at < ?)`;
const removeOldCountsSql = `DELETE FROM request_counts WHERE (tenant_id, at, integration_id, operation, code) IN
  (SELECT tenant_id, at, integration_id, operation, code FROM request_counts WHERE at < ? ORDER BY at LIMIT ${maxRemoved})`;
const removeExcessSql = `DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE rowid <=
  (SELECT max(rowid) FROM requests) - ? ORDER BY rowid LIMIT ${maxRemoved})`;
const removeTenantExcessSql = `DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests
  WHERE tenant_id = ? ORDER BY at DESC, id DESC LIMIT ${maxRemoved} OFFSET ?)`;

/**
 * Returns a request log in a SQLite file, which is created with the first entry. It isn't durable: a crash loses the
 * last second. A damaged file is replaced by a new one.
 */
export function sqliteRequestLog(options: SqliteRequestLogOptions): SqliteRequestLog {
  const { file, maxAgeMs, maxTenantEntries = defaultMaxTenantEntries, maxEntries = defaultMaxEntries } = options;
  let database: Database.Database | undefined;
  let prunedAt = Number.NEGATIVE_INFINITY;
  const tenantCounts = new TenantEntryCounts(Math.ceil(maxTenantEntries / checkedShare));

  const close = (): void => {
    database?.close();
    database = undefined;
  };
  /** Runs work with the open file. Closes it after an error. */
  const use = <T>(work: (opened: Database.Database) => T): T => {
    try {
      database ??= openLog(file);
      return work(database);
    } catch (error) {
      close();
      throw error;
    }
  };
  const run = (sql: string, ...values: unknown[]): number =>
    use((opened) => opened.prepare(sql).run(...values).changes);
  const removeAll = async (sql: string, ...values: unknown[]): Promise<void> => {
    while (run(sql, ...values) === maxRemoved) await nextTurn();
  };
  const prune = async (appended: readonly RequestEntry[], newest: number): Promise<void> => {
    // A tenant is at its limit at most until its next check.
    const maxChecked = maxTenantEntries - Math.ceil(maxTenantEntries / checkedShare);
    for (const tenantId of tenantCounts.add(appended)) await removeAll(removeTenantExcessSql, tenantId, maxChecked);
    await removeAll(removeExcessSql, maxEntries);
    if (newest - prunedAt < pruneIntervalMs) return;
    prunedAt = newest;
    await removeAll(removeOldSql, newest - maxAgeMs);
    await removeAll(removeOldCountsSql, newest - maxAgeMs);
  };
  const appendAll = async (entries: Parameters<RequestLog["append"]>[0]): Promise<void> => {
    for (let start = 0; start < entries.length; start += chunkSize) {
      if (start > 0) await nextTurn();
      use((opened) => {
        const [insert, add] = [opened.prepare(insertEntrySql), opened.prepare(addCountsSql)];
        const insertAll = opened.transaction(() => {
          for (const entry of entries.slice(start, start + chunkSize))
            if (isCounted(entry)) add.run(...countValues(entry));
            else insert.run(...entryValues(entry));
        });
        insertAll.immediate();
      });
    }
    await prune(entries.filter(isEntry), entries.at(-1)?.at ?? 0);
  };
  return {
    async append(entries) {
      try {
        await appendAll(entries);
      } catch (error) {
        if (isDamaged(error)) for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
        throw error;
      }
    },
    async find(tenantId, query) {
      if (!fs.existsSync(file)) return [];
      const { sql, values } = findStatement(dialect, tables, tenantId, query);
      return use((opened) => opened.prepare<unknown[], Record<string, unknown>>(sql).all(...values)).map(toEntry);
    },
    async totals(tenantId, query) {
      if (!fs.existsSync(file)) return [];
      const { sql, values } = totalsStatement(dialect, tables, tenantId, query);
      return use((opened) => opened.prepare<unknown[], Record<string, unknown>>(sql).all(...values)).map(toTotal);
    },
    removeTenant(tenantId) {
      if (!fs.existsSync(file)) return;
      // Overwrites the removed rows.
      use((opened) => opened.pragma("secure_delete = ON"));
      for (const table of Object.values(tables)) run(`DELETE FROM ${table} WHERE tenant_id = ?`, tenantId);
    },
    close,
  };
}

/** Opens or creates the file (mode 0600). */
function openLog(file: string): Database.Database {
  const isNew = !fs.existsSync(file);
  fs.closeSync(fs.openSync(file, "a", 0o600));
  if (isNew) copyOwner(file, dirname(file));
  const database = new Database(file, { timeout: busyTimeoutMs });
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL");
    // The default of better-sqlite3 is 16 MB, which an append doesn't need.
    database.pragma("cache_size = -2000");
    const readVersion = () => database.pragma("user_version", { simple: true });
    // Another process may create the tables at the same time.
    const create = database.transaction(() => readVersion() === 0 && database.exec(schemaSql));
    if (readVersion() === 0) create.immediate();
    if (readVersion() !== schemaVersion) throw new OtherVersionError();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A file of an older or newer version of the program. */
class OtherVersionError extends Error {}

function isDamaged(error: unknown): boolean {
  if (error instanceof OtherVersionError) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code);
}
