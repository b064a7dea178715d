import type { Pool, QueryConfig } from "pg";
import type { Kind, Records } from "../../model/kinds.ts";
import type { ContactOpportunities } from "../active-opportunity.ts";
import { buildCount } from "../sql/sorted-select.ts";
import { hasJsonColumn, recordFromRow, selectColumns, tables } from "../sql/table.ts";
import { openTotalsSql, toOpenTotal, toRecordCount } from "../sql/totals.ts";
import { toTenantClock, webhookClocksSql } from "../sql/webhook-clocks.ts";
import {
  type CommitConditions,
  deriveJsonReads,
  type OpenTotal,
  type Query,
  type RecordCount,
  type SearchHit,
  type SearchQuery,
  type Storage,
  StorageUnavailable,
  type TenantClock,
  type Write,
} from "../storage.ts";
import { activeOpportunitiesSql, toContactOpportunities } from "./active-opportunities.ts";
import { apiKeyLookup, type QueryRows } from "./api-key-lookup.ts";
import { CommitQueue, type CommitStats } from "./commit-queue.ts";
import { sharedReads, withConnection } from "./connection.ts";
import { assertKeepsStatements, rejectStandbys } from "./connection-checks.ts";
import { findLocalTables } from "./distribute.ts";
import { migrate } from "./migrate.ts";
import { pruneEvents, pruneIdempotencyRecords } from "./prune.ts";
import { assertSearchOn, type ListReads, readList } from "./read-list.ts";
import { recordLookup } from "./record-lookup.ts";
import { buildSearch, switchSearch, toSearchHit } from "./search.ts";
import { settingsVersions } from "./settings-versions.ts";
import { postgresDialect, statement } from "./statement.ts";
import { toStorageUnavailable } from "./storage-errors.ts";

type Row = Record<string, unknown>;
type RunQuery = (config: QueryConfig) => Promise<{ readonly rows: Row[] }>;
/** How a storage runs its queries. */
type Queries = {
  readonly fast: RunQuery;
  /** Runs a query that may take long, so that no other query waits for it. */
  readonly slow: RunQuery;
};

/** Default timeout for getting a connection from the pool. */
const defaultConnectionTimeoutMs = 5_000;
/** Default timeout of a statement. Without one, a request never ends if the network silently drops its connection. */
const defaultQueryTimeoutMs = 30_000;

export type PostgresOptions = {
  /** Called after each committed transaction, for metrics. Must not throw. */
  readonly onCommit?: ((batch: CommitStats) => void) | undefined;
  /**
   * Whether the database has an index for `GET /search`, for all servers. `false` removes it, `true` builds it while
   * writes wait. By default, an existing database isn't changed, and a new one has an index.
   */
  readonly search?: boolean | undefined;
  /** Called before `search: true` builds the index. */
  readonly onSearchBuild?: (() => void) | undefined;
};

/**
 * Opens PostgreSQL 15 or later as a storage, for any number of servers. Creates the schema if there is none. The
 * storage owns the pool and ends it on `close`. If the pool sets no timeouts, a connection attempt may take 5 seconds
 * and a statement 30 seconds.
 * @throws DatabaseError if the schema is newer, if commits aren't durable or if a pooler loses prepared statements
 * @throws StorageUnavailable if the database can't be reached or is a standby
 */
export async function postgresStorage(
  pool: Pool,
  { onCommit, search, onSearchBuild }: PostgresOptions = {},
): Promise<Storage> {
  await preparePool(pool);
  if (search !== undefined) await switchSearch(pool, search, onSearchBuild);
  const queries: Queries = { fast: sharedReads(pool), slow: (config) => pool.query(config) };
  return new PostgresStorage(pool, queries, onCommit, (await withConnection(pool, findLocalTables)) !== undefined);
}

/**
 * Prepares the pool: it survives a database restart, uses pipelining and rejects standbys. Then updates the schema.
 * @throws DatabaseError, StorageUnavailable as `postgresStorage`
 * @throws TypeError if the pool reads in binary
 */
export async function preparePool(pool: Pool): Promise<void> {
  if ((pool.options as { readonly binary?: unknown }).binary === true)
    throw new TypeError("The pool option binary: true isn't supported. Remove it.");
  // Without a listener, an idle connection that breaks would end the process.
  pool.on("error", () => {});
  // A new connection that breaks before it is used would also end the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  pool.options.connectionTimeoutMillis ||= defaultConnectionTimeoutMs;
  pool.options.query_timeout ||= defaultQueryTimeoutMs;
  pool.options.pipeline ??= true;
  rejectStandbys(pool);
  await assertKeepsStatements(pool);
  await migrate(pool);
}

/** A storage over a pool. Commits go through a queue, all other queries through `queries`. */
export class PostgresStorage implements Storage {
  readonly #pool: Pool;
  readonly #queries: Queries;
  readonly #queue: CommitQueue;
  readonly findApiKey = apiKeyLookup((sql, values) => this.#read(sql, values));
  readonly settingsVersion: Storage["settingsVersion"];
  readonly get: Storage["get"];
  readonly #json = deriveJsonReads(this);
  readonly #reads: ListReads = {
    read: ({ sql, values }) => this.#read(sql, values),
    search: ({ sql, values }) => {
      // One plan for all words would read all entries of a large tenant, so PostgreSQL plans each search.
      const { name: _, ...unprepared } = statement(sql, values);
      return this.#run(unprepared, "slow");
    },
  };
  #closed: Promise<void> | undefined;

  constructor(pool: Pool, queries: Queries, onCommit?: PostgresOptions["onCommit"], isDistributed = false) {
    this.#pool = pool;
    this.#queries = queries;
    const read: QueryRows = (sql, values) => this.#read(sql, values);
    this.settingsVersion = settingsVersions(read, isDistributed);
    this.get = recordLookup(read, isDistributed);
    this.#queue = new CommitQueue(pool, onCommit);
  }

  async list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]> {
    const rows = await readList(this.#reads, tables[kind], tenant, query, "record");
    return rows.map((row) => recordFromRow<K>(tables[kind], row));
  }

  async getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined> {
    const table = tables[kind];
    if (!hasJsonColumn(table)) return this.#json.getJson(tenant, kind, id);
    const sql = `SELECT json FROM ${table.name} WHERE tenant_id = ? AND id = ? AND archived_at IS NULL`;
    const [row] = await this.#read(sql, [tenant, id]);
    return row?.json as string | undefined;
  }

  async listJson(tenant: string, kind: Kind, query: Query): Promise<readonly string[]> {
    if (!hasJsonColumn(tables[kind])) return this.#json.listJson(tenant, kind, query);
    const rows = await readList(this.#reads, tables[kind], tenant, query, "json");
    return rows.map(({ json }) => json as string);
  }

  async commit(
    tenant: string,
    now: number,
    propose: (at: number) => readonly Write[],
    conditions?: CommitConditions,
  ): Promise<void> {
    this.#assertOpen();
    await this.#queue.add(tenant, { now, propose, conditions });
  }

  async activeOpportunities(
    tenant: string,
    emailKeys: readonly string[],
    limit: number,
  ): Promise<readonly ContactOpportunities[]> {
    return (await this.#read(activeOpportunitiesSql, [tenant, emailKeys, limit])).map(toContactOpportunities);
  }

  async search(tenant: string, query: SearchQuery): Promise<readonly SearchHit[]> {
    const [found] = await Promise.all([this.#reads.search(buildSearch(tenant, query)), assertSearchOn(this.#reads)]);
    return found.map(toSearchHit);
  }

  async count(tenant: string, kind: Kind, query: Query, max: number): Promise<RecordCount> {
    const hasWords = query.words !== undefined;
    if (hasWords) await assertSearchOn(this.#reads);
    const select = buildCount(postgresDialect, tables[kind], tenant, query, max);
    const [row = {}] = await (hasWords ? this.#reads.search(select) : this.#reads.read(select));
    return toRecordCount(Object.values(row), max);
  }

  async openTotals(tenant: string, max: number): Promise<readonly OpenTotal[]> {
    const rows = await this.#read(openTotalsSql(postgresDialect), [tenant, max]);
    return rows.map((row) => toOpenTotal(Object.values(row)));
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const columns = selectColumns(postgresDialect, tables.tenant);
    const sql = `SELECT ${columns} FROM tenants t ORDER BY created_at, id`;
    const rows = await this.#read(sql, []);
    return rows.map((row) => recordFromRow<"tenant">(tables.tenant, row));
  }

  async webhookClocks(): Promise<readonly TenantClock[]> {
    return (await this.#read(webhookClocksSql, [])).map((row) => toTenantClock(Object.values(row)));
  }

  async cursorSecret(): Promise<Uint8Array> {
    const [row] = await this.#read("SELECT value FROM settings WHERE name = 'cursor_secret'", []);
    return row?.value as Uint8Array;
  }

  async pruneIdempotencyRecords(before: number): Promise<number> {
    return pruneIdempotencyRecords(this.#prune, before);
  }

  async eventsFrom(tenant: string): Promise<number> {
    const [row] = await this.#read("SELECT events_from FROM tenant_clocks WHERE tenant_id = ?", [tenant]);
    return Number(row?.events_from ?? 0);
  }

  async pruneEvents(tenant: string, before: number): Promise<number> {
    return pruneEvents(this.#prune, tenant, before);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    await this.#pool.end();
  }

  readonly #prune = (sql: string, values: readonly unknown[]): Promise<Row[]> =>
    this.#run(statement(sql, values), "slow");

  #read(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#run(statement(sql, values), "fast");
  }

  async #run(config: QueryConfig, speed: "fast" | "slow"): Promise<Row[]> {
    this.#assertOpen();
    try {
      return (await this.#queries[speed](config)).rows;
    } catch (error) {
      throw toStorageUnavailable(error);
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new StorageUnavailable("The storage is closed.");
  }
}
