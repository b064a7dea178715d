import type { Pool, QueryConfig } from "pg";
import type { Kind, Records } from "../../model/kinds.ts";
import { buildSelect } from "../sql/select.ts";
import { recordFromRow, selectColumns, tables } from "../sql/table.ts";
import {
  type ActiveContact,
  type ApiKeyWithScopes,
  jsonReads,
  type Query,
  type Storage,
  StorageUnavailable,
  type Write,
} from "../storage.ts";
import { activeOpportunitiesSql, toActiveContact } from "./active-opportunities.ts";
import { apiKeyLookup } from "./api-key-lookup.ts";
import { type CommitBatch, CommitQueue } from "./commit-queue.ts";
import { assertKeepsStatements, rejectStandbys } from "./connection-checks.ts";
import { postgresDialect } from "./dialect.ts";
import { migrate } from "./migrate.ts";
import { batchReads } from "./read-batcher.ts";
import { statement } from "./statement.ts";
import { toStorageError } from "./storage-errors.ts";

type Row = Record<string, unknown>;
/** Where reads are asked. */
export type QueryRunner = (config: QueryConfig) => Promise<{ readonly rows: Row[] }>;

/** How long a request waits for a connection where the pool does not say. */
const connectionWaitMs = 5_000;
/** Default limit for a statement. Without one, a request never ends if the network silently drops its connection. */
const queryTimeoutMs = 30_000;
/** How many records one `sweep` forgets at most, so that it never holds locks for long. */
const sweepBatch = 500;

export type PostgresOptions = {
  /** Told of each transaction that was made: for metrics. Must not throw. */
  readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
};

/**
 * Opens PostgreSQL 15 or later as a storage, for any number of servers. Creates the schema if there is none. The
 * storage owns the pool and ends it on `close`. If the pool sets no timeouts, a connection attempt may take 5 seconds
 * and a statement 30 seconds.
 * @throws DatabaseError if the schema is newer, if commits aren't durable or if a pooler loses prepared statements
 * @throws StorageUnavailable if the database can't be reached or is a standby
 */
export async function postgresStorage(pool: Pool, { onCommit }: PostgresOptions = {}): Promise<Storage> {
  await preparePool(pool);
  return new PostgresStorage(pool, batchReads(pool), onCommit);
}

/**
 * Prepares the pool: it survives a database restart, uses pipelining and rejects standbys. Then updates the schema.
 * @throws DatabaseError, StorageUnavailable as `postgresStorage`
 * @throws TypeError if the pool reads in binary
 */
export async function preparePool(pool: Pool): Promise<void> {
  if ((pool.options as { readonly binary?: unknown }).binary === true)
    throw new TypeError("A pool with binary: true reads times as other numbers. Leave it out.");
  // Without a listener, an idle connection that breaks would end the process.
  pool.on("error", () => {});
  // So would a new connection that breaks before its user listens.
  pool.on("connect", (client) => void client.on("error", () => {}));
  pool.options.connectionTimeoutMillis ||= connectionWaitMs;
  pool.options.query_timeout ||= queryTimeoutMs;
  pool.options.pipeline ??= true;
  rejectStandbys(pool);
  await assertKeepsStatements(pool);
  await migrate(pool);
}

/** What a pool keeps. */
export class PostgresStorage implements Storage {
  readonly #pool: Pool;
  readonly #ask: QueryRunner;
  readonly #queue: CommitQueue;
  readonly #apiKey = apiKeyLookup((sql, values) => this.#read(sql, values));
  readonly #json = jsonReads(this);
  readonly getJson = this.#json.getJson;
  readonly listJson = this.#json.listJson;
  #closed: Promise<void> | undefined;

  constructor(pool: Pool, ask: QueryRunner, onCommit?: PostgresOptions["onCommit"]) {
    this.#pool = pool;
    this.#ask = ask;
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

  async commit(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void> {
    this.#assertOpen();
    await this.#queue.add(tenant, { now, propose });
  }

  findApiKey(hash: string): Promise<ApiKeyWithScopes | undefined> {
    return this.#apiKey(hash);
  }

  async activeOpportunities(
    tenant: string,
    emailKeys: readonly string[],
    limit: number,
  ): Promise<readonly ActiveContact[]> {
    return (await this.#read(activeOpportunitiesSql, [tenant, emailKeys, limit])).map(toActiveContact);
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const columns = selectColumns(postgresDialect, tables.tenant);
    const rows = await this.#read(
      `SELECT ${columns} FROM tenants t WHERE archived_at IS NULL ORDER BY created_at, id`,
      [],
    );
    return rows.map((row) => recordFromRow<"tenant">(tables.tenant, row));
  }

  async cursorSecret(): Promise<Uint8Array> {
    const [row] = await this.#read("SELECT value FROM settings WHERE name = 'cursor_secret'", []);
    return row?.value as Uint8Array;
  }

  /** Tenant by tenant: the oldest of all would be looked for on every shard. */
  async pruneIdempotencyRecords(before: number): Promise<number> {
    const tenants = await this.#read("SELECT tenant_id FROM tenants ORDER BY tenant_id", []);
    const old =
      "SELECT id FROM idempotency_records WHERE tenant_id = ? AND created_at < ? ORDER BY created_at, id LIMIT ?";
    const sql = `DELETE FROM idempotency_records WHERE tenant_id = ? AND id IN (${old}) RETURNING 1`;
    let swept = 0;
    for (const { tenant_id: tenant } of tenants) {
      if (swept < sweepBatch) swept += (await this.#read(sql, [tenant, tenant, before, sweepBatch - swept])).length;
    }
    return swept;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    await this.#pool.end();
  }

  async #read(sql: string, values: readonly unknown[]): Promise<Row[]> {
    this.#assertOpen();
    try {
      return (await this.#ask(statement(sql, values))).rows;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new StorageUnavailable("The database is closed.");
  }
}
