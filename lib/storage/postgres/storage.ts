import type { Pool, QueryConfig } from "pg";
import type { Kind, Records } from "../../model/kinds.ts";
import { buildSelect } from "../sql/select.ts";
import { hasJsonColumn, recordFromRow, selectColumns, tables } from "../sql/table.ts";
import {
  type CommitConditions,
  type ContactOpportunities,
  deriveJsonReads,
  type Query,
  type SearchHit,
  SearchOff,
  type SearchQuery,
  type Storage,
  StorageUnavailable,
  type Write,
} from "../storage.ts";
import { activeOpportunitiesSql, toContactOpportunities } from "./active-opportunities.ts";
import { apiKeyLookup } from "./api-key-lookup.ts";
import { CommitQueue, type CommitStats } from "./commit-queue.ts";
import { sharedReads } from "./connection.ts";
import { assertKeepsStatements, rejectStandbys } from "./connection-checks.ts";
import { migrate } from "./migrate.ts";
import { buildSearch, searchOffSql, switchSearch, toSearchHit } from "./search.ts";
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
/** Maximum number of idempotency records that one call deletes, so that it never holds locks for long. */
const maxPrunedRecords = 500;

export type PostgresOptions = {
  /** Called after each committed transaction, for metrics. Must not throw. */
  readonly onCommit?: ((batch: CommitStats) => void) | undefined;
  /**
   * Whether the database has an index for `GET /search`, for all servers. `false` removes it, `true` builds it while writes
   * wait. Default: as the database is; a new one has it.
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
  return new PostgresStorage(pool, { fast: sharedReads(pool), slow: (config) => pool.query(config) }, onCommit);
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
  readonly #json = deriveJsonReads(this);
  #closed: Promise<void> | undefined;

  constructor(pool: Pool, queries: Queries, onCommit?: PostgresOptions["onCommit"]) {
    this.#pool = pool;
    this.#queries = queries;
    this.#queue = new CommitQueue(pool, onCommit);
  }

  async get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    const table = tables[kind];
    const sql = `SELECT ${selectColumns(postgresDialect, table)} FROM ${table.name} t WHERE tenant_id = ? AND id = ?`;
    const [row] = await this.#read(sql, [tenant, id]);
    return row === undefined ? undefined : recordFromRow<K>(table, row);
  }

  async list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]> {
    const table = tables[kind];
    const { sql, values } = buildSelect(postgresDialect, table, tenant, query);
    return (await this.#read(sql, values)).map((row) => recordFromRow<K>(table, row));
  }

  async getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined> {
    const table = tables[kind];
    if (!hasJsonColumn(table)) return this.#json.getJson(tenant, kind, id);
    const sql = `SELECT json FROM ${table.name} WHERE tenant_id = ? AND id = ? AND archived_at IS NULL`;
    const [row] = await this.#read(sql, [tenant, id]);
    return row?.json as string | undefined;
  }

  async listJson(tenant: string, kind: Kind, query: Query): Promise<readonly string[]> {
    const table = tables[kind];
    if (!hasJsonColumn(table)) return this.#json.listJson(tenant, kind, query);
    const { sql, values } = buildSelect(postgresDialect, table, tenant, query, "json");
    const rows = await (query.maxBytes === undefined
      ? this.#read(sql, values)
      : this.#read(boundedSql(sql), [...values, query.maxBytes]));
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

  async settingsVersion(tenant: string): Promise<number> {
    const [row] = await this.#read("SELECT settings_version FROM tenant_clocks WHERE tenant_id = ?", [tenant]);
    return Number(row?.settings_version ?? 0);
  }

  async activeOpportunities(
    tenant: string,
    emailKeys: readonly string[],
    limit: number,
  ): Promise<readonly ContactOpportunities[]> {
    return (await this.#read(activeOpportunitiesSql, [tenant, emailKeys, limit])).map(toContactOpportunities);
  }

  async search(tenant: string, query: SearchQuery): Promise<readonly SearchHit[]> {
    const { sql, values } = buildSearch(tenant, query);
    // One plan for all words would read all entries of a large tenant, so PostgreSQL plans each search.
    const { name: _, ...unprepared } = statement(sql, values);
    const [found, off] = await Promise.all([this.#run(unprepared, "slow"), this.#read(searchOffSql, [])]);
    if (off.length > 0) throw new SearchOff();
    return found.map(toSearchHit);
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const columns = selectColumns(postgresDialect, tables.tenant);
    const sql = `SELECT ${columns} FROM tenants t ORDER BY created_at, id`;
    const rows = await this.#read(sql, []);
    return rows.map((row) => recordFromRow<"tenant">(tables.tenant, row));
  }

  async cursorSecret(): Promise<Uint8Array> {
    const [row] = await this.#read("SELECT value FROM settings WHERE name = 'cursor_secret'", []);
    return row?.value as Uint8Array;
  }

  async pruneIdempotencyRecords(before: number): Promise<number> {
    return (await this.#run(statement(pruneSql, [before, maxPrunedRecords]), "slow")).length;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    await this.#pool.end();
  }

  #read(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#run(statement(sql, values), "fast");
  }

  async #run(config: QueryConfig, speed: keyof Queries): Promise<Row[]> {
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

/** Deletes the oldest idempotency records of all tenants. With shards, it runs on all of them. */
const pruneSql = `
  DELETE FROM idempotency_records WHERE (tenant_id, id) IN
    (SELECT tenant_id, id FROM idempotency_records WHERE created_at < ? ORDER BY created_at LIMIT ?)
  RETURNING 1`;

/** Returns a list that ends after the record that makes its JSON exceed a number of bytes, but not before the second. */
function boundedSql(sql: string): string {
  return `
    SELECT json FROM (
      SELECT json, updated_at, id, row_number() OVER w AS number, sum(octet_length(json)) OVER w - octet_length(json) AS before
      FROM (${sql}) listed WINDOW w AS (ORDER BY updated_at, id ROWS UNBOUNDED PRECEDING)
    ) counted WHERE number <= 2 OR before <= ? ORDER BY updated_at, id`;
}
