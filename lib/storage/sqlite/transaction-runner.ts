import type { Database, Statement as Prepared } from "better-sqlite3";
import { type AnyRecord, models } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import { assertSchemaKnown } from "../newer-schema.ts";
import { buildSelect } from "../sql/select.ts";
import {
  columnNames,
  duplicateQueries,
  hasJsonColumn,
  type Table,
  tables,
  toRow,
  updatedColumns,
  updatedValues,
} from "../sql/table.ts";
import {
  assertSettingsVersion,
  type CommitConditions,
  changesSettings,
  matchConflict,
  type NoMatch,
  type Write,
  WriteConflict,
} from "../storage.ts";
import { mapTables, sqliteDialect } from "./schema.ts";
import { hasSearch, readTerms, writeTerms } from "./search.ts";
import { StatementCache } from "./statement-cache.ts";
import { isBusy, isConstraint, toStorageUnavailable } from "./storage-errors.ts";

/** Statements that write no records, such as the deletion of old ones. */
export type Maintenance = {
  readonly statements: readonly { readonly sql: string; readonly values: readonly unknown[] }[];
};

/** The work of one caller in a transaction. */
export type WriteJob = PreparedCommit | Maintenance;

/**
 * The result of a job. Nothing was written for `busy` and `clock_moved`: another process holds the lock, or the commit
 * time is no longer later than the tenant clock.
 */
export type WriteJobResult = { readonly changes: number } | "busy" | "clock_moved" | { readonly error: unknown };

/** Runs jobs in transactions on one connection. */
export class TransactionRunner {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #statements: StatementCache;
  readonly #begin: Prepared;
  readonly #commit: Prepared;
  readonly #readVersion: Prepared;
  readonly #schemaVersion: number;

  constructor(database: Database, schemaVersion: number) {
    this.#database = database;
    this.#schemaVersion = schemaVersion;
    this.#readVersion = database.prepare("PRAGMA user_version").pluck();
    this.#statements = new StatementCache(database);
    this.#writer = new Writer(this.#statements, hasSearch(database));
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  /**
   * Runs all jobs in one transaction. If one of them fails after its first write, the transaction is rolled back and
   * each job runs in its own. A job with `changes` is durable when this returns.
   */
  run(jobs: readonly WriteJob[]): readonly WriteJobResult[] {
    return this.#transact(jobs) ?? jobs.flatMap((job) => this.#transact([job]) ?? []);
  }

  /** Returns undefined if a job of several failed after its first write. Nothing was written then. */
  #transact(jobs: readonly WriteJob[]): readonly WriteJobResult[] | undefined {
    try {
      this.#begin.run();
    } catch (error) {
      return jobs.map(() => (isBusy(error) ? "busy" : { error: toStorageUnavailable(error) }));
    }
    try {
      assertSchemaKnown(Number(this.#readVersion.get()), this.#schemaVersion);
      const results: WriteJobResult[] = [];
      for (const job of jobs) {
        const result = this.#attempt(job);
        if (hasFailed(result) && this.#writer.isPartial) {
          this.#database.exec("ROLLBACK");
          return jobs.length === 1 ? [result] : undefined;
        }
        results.push(result);
      }
      this.#commit.run();
      return results;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      // Rejected jobs get this error as well: the record that they conflict with was rolled back.
      return jobs.map(() => ({ error: toStorageUnavailable(error) }));
    }
  }

  /** @throws if the error ended the transaction */
  #attempt(job: WriteJob): WriteJobResult {
    try {
      if ("statements" in job) return { changes: this.#maintain(job) };
      return this.#writer.apply(job) ? { changes: job.writes.length } : "clock_moved";
    } catch (error) {
      if (!this.#database.inTransaction) throw error;
      return { error: toStorageUnavailable(error) };
    }
  }

  /** Returns the number of rows that the last statement changed. */
  #maintain({ statements }: Maintenance): number {
    let changes = 0;
    for (const { sql, values } of statements) changes = this.#statements.get(sql).run(...values).changes;
    return changes;
  }
}

function hasFailed(result: WriteJobResult): boolean {
  return typeof result === "object" && "error" in result;
}

/** The writes of one commit, its commit time, and the tenant clock after the commit. */
type PreparedCommit = {
  readonly tenant: string;
  readonly at: number;
  readonly clock: number;
  readonly writes: readonly Write[];
  readonly conditions: CommitConditions | undefined;
};

export const selectClockSql = "SELECT last_at, settings_version FROM tenant_clocks WHERE tenant_id = ?";
const advanceClockSql = `INSERT INTO tenant_clocks (tenant_id, last_at, settings_version, events_from)
   VALUES (?, ?, ?, ?) ON CONFLICT (tenant_id) DO UPDATE
   SET last_at = excluded.last_at, settings_version = max(settings_version, excluded.settings_version)`;

/** Returns the next commit time of a tenant. `last` is the tenant clock, 0 before the first commit. */
export function nextCommitTime(now: number, last: number): number {
  return Math.max(now, last + 1);
}

/** Applies commits in the open transaction. The caller begins and ends the transaction. */
class Writer {
  readonly #statements: StatementCache;
  readonly #hasSearch: boolean;
  readonly #prepare: (sql: string) => Prepared;
  /** Whether the last `apply` failed after its first write. A failed first statement leaves nothing behind. */
  isPartial = false;

  constructor(statements: StatementCache, hasSearch: boolean) {
    this.#statements = statements;
    this.#hasSearch = hasSearch;
    this.#prepare = (sql) => statements.get(sql);
  }

  /**
   * Applies a commit and advances the tenant clock. Returns `false` if `at` isn't later than the tenant clock.
   * @throws WriteConflict if a condition doesn't hold or a write conflicts
   */
  apply({ tenant, at, clock, writes, conditions }: PreparedCommit): boolean {
    this.isPartial = false;
    const [last = 0, version = 0] = this.#statements.rows(selectClockSql).get(tenant) ?? [];
    assertSettingsVersion(tenant, Number(version), conditions);
    if (conditions?.none !== undefined) this.#assertNone(tenant, conditions.none);
    if (at <= Number(last)) return false;
    for (const write of writes) this.#write(tenant, write);
    this.#statements.get(advanceClockSql).run(tenant, clock, changesSettings(writes) ? clock : 0, clock);
    this.isPartial = false;
    return true;
  }

  #assertNone(tenant: string, none: NoMatch): void {
    const { sql, values } = buildSelect(sqliteDialect, tables[none.kind], tenant, { where: none.where, limit: 1 });
    const match = this.#statements.get(sql).get(...values);
    if (match !== undefined) throw matchConflict(none, String(match.id));
  }

  #write(tenant: string, write: Write): void {
    const table = tables[write.kind];
    const terms = this.#hasSearch ? readTerms(this.#prepare, tenant, write) : "";
    try {
      if (write.op === "insert") this.#insert(tenant, table, write.record);
      else this.#update(tenant, table, write.record, write.expectedUpdatedAt);
    } catch (error) {
      throw isConstraint(error) ? (this.#conflict(tenant, table, write) ?? error) : error;
    }
    this.isPartial = true;
    this.#link(tenant, table, write.record);
    if (this.#hasSearch) writeTerms(this.#prepare, tenant, write, terms);
  }

  #insert(tenant: string, table: Table, record: AnyRecord): void {
    const values = [...toRow(sqliteDialect, table, tenant, record), ...jsonValue(table, record)];
    this.#statements.get(insertSql[table.kind]).run(...values);
  }

  #update(tenant: string, table: Table, record: AnyRecord, was: number): void {
    const values = [...updatedValues(sqliteDialect, table, record), ...jsonValue(table, record)];
    const { changes } = this.#statements.get(updateSql[table.kind]).run(...values, tenant, record.id, was);
    if (changes === 0) throw new WriteConflict("stale", table.kind, "id", record.id);
  }

  #link(tenant: string, table: Table, record: AnyRecord): void {
    for (const { field, name, owner, target } of table.links) {
      this.#statements.get(`DELETE FROM ${name} WHERE tenant_id = ? AND ${owner} = ?`).run(tenant, record.id);
      const columns = `tenant_id, ${owner}, ${target}, position, archived, updated_at`;
      const insert = this.#statements.get(`INSERT INTO ${name} (${columns}) VALUES (?, ?, ?, ?, ?, ?)`);
      const ids = (record as unknown as Record<string, readonly string[]>)[field] ?? [];
      const archived = record.archivedAt === null ? 0 : 1;
      for (const [place, id] of ids.entries()) insert.run(tenant, record.id, id, place, archived, record.updatedAt);
    }
  }

  /** Finds the record that violates a unique constraint. Returns undefined for any other constraint. */
  #conflict(tenant: string, table: Table, { kind, op, record }: Write): WriteConflict | undefined {
    for (const { field, sql, values } of duplicateQueries(table, tenant, record)) {
      const other = this.#statements.get(sql).get(...values);
      if (other !== undefined) return new WriteConflict("duplicate", kind, field, String(other.id));
    }
    const same = this.#statements.get(`SELECT id FROM ${table.name} WHERE tenant_id = ? AND id = ?`);
    const idExists = op === "insert" && same.get(tenant, record.id) !== undefined;
    if (idExists) return new WriteConflict("duplicate", kind, "id", record.id);
    // A hash is unique across tenants. The conflict doesn't reveal its tenant.
    const hash = kind === "apiKey" ? record.hash : undefined;
    const hashExists = hash !== undefined && this.#statements.get("SELECT 1 FROM api_keys WHERE hash = ?").get(hash);
    return hashExists ? new WriteConflict("duplicate", kind, "hash", record.id) : undefined;
  }
}

/** Returns the value of the column `json` in a list, which is empty if the table doesn't have the column. */
function jsonValue(table: Table, record: AnyRecord): readonly string[] {
  return hasJsonColumn(table) ? [toJsonText(models[table.kind], record)] : [];
}

const insertSql = mapTables((table) => {
  const names = [...columnNames(table), ...jsonColumn(table)];
  const columns = names.map((name) => `"${name}"`).join(", ");
  return `INSERT INTO ${table.name} (${columns}) VALUES (${names.map(() => "?").join(", ")})`;
});

/** Omits the key. If an UPDATE sets it, even to the same value, SQLite reads all rows that may refer to the record. */
const updateSql = mapTables((table) => {
  const sets = [...updatedColumns(table), ...jsonColumn(table)].map((name) => `"${name}" = ?`);
  return `UPDATE ${table.name} SET ${sets.join(", ")} WHERE tenant_id = ? AND id = ? AND updated_at = ?`;
});

function jsonColumn(table: Table): readonly string[] {
  return hasJsonColumn(table) ? ["json"] : [];
}
