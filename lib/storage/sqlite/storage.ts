import { type Kind, models, type Records } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import type { ContactOpportunities } from "../active-opportunity.ts";
import { DatabaseError } from "../database-error.ts";
import { mergeHits } from "../sql/search.ts";
import { buildCount } from "../sql/sorted-select.ts";
import { hasJsonColumn, selectColumns, tables, toRecord } from "../sql/table.ts";
import { openTotalsSql, toOpenTotal, toRecordCount } from "../sql/totals.ts";
import { toTenantClock, webhookClocksSql } from "../sql/webhook-clocks.ts";
import {
  type ApiKeyWithScopes,
  type CommitConditions,
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
import { CommitQueue, type QueueOptions } from "./commit-queue.ts";
import { ConnectionPair } from "./connection-pair.ts";
import { eventsFromSql, pruneEventsStatements } from "./event-statements.ts";
import { resolvePath } from "./file-system.ts";
import { openReadonly, openSerialized, openWriter } from "./open.ts";
import type { SqliteOptions } from "./options.ts";
import { assertSearchOn, readList, readListJson } from "./read-list.ts";
import { latestVersion, mapTables, migrations, schemaVersionOf, sqliteDialect } from "./schema.ts";
import { buildSearch, switchSearch, toSearchHit } from "./search.ts";
import type { StatementCache } from "./statement-cache.ts";
import { toDatabaseError, toStorageUnavailable } from "./storage-errors.ts";

/** Selects a record by its ID. */
const lookups = mapTables(
  (table) => `SELECT ${selectColumns(sqliteDialect, table)} FROM ${table.name} t WHERE tenant_id = ? AND id = ?`,
);
/** Selects the JSON of a record that isn't archived. Undefined for tables without a JSON column. */
const jsonLookups = mapTables((table) => {
  const sql = `SELECT json FROM ${table.name} WHERE tenant_id = ? AND id = ? AND archived_at IS NULL`;
  return hasJsonColumn(table) ? sql : undefined;
});
const keySql = `
  SELECT t.tenant_id, i.scopes, ${selectColumns(sqliteDialect, tables.apiKey)} FROM api_keys t
  JOIN integrations i ON i.tenant_id = t.tenant_id AND i.id = t.integration_id AND i.archived_at IS NULL
  JOIN tenants c ON c.tenant_id = t.tenant_id AND c.archived_at IS NULL
  WHERE t.hash = ${sqliteDialect.placeholder} AND t.archived_at IS NULL`;

const settingsVersionSql = `SELECT settings_version FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}`;

/**
 * Limit of idempotency records that one call of `pruneIdempotencyRecords` deletes, so that the lock is held briefly.
 */
const sweepBatch = 500;

/** The storage adapter of SQLite. */
class SqliteStorage implements Storage {
  readonly #connections: ConnectionPair;
  readonly #queue: CommitQueue;

  constructor(connections: ConnectionPair, options?: QueueOptions) {
    this.#connections = connections;
    this.#queue = new CommitQueue(connections, options);
  }

  async get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    const row = this.#read(lookups[kind], [tenant, id])[0];
    return row === undefined ? undefined : toRecord<K>(tables[kind], row);
  }

  async getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined> {
    this.#connections.hasRead = true;
    const lookup = jsonLookups[kind];
    if (lookup !== undefined) return this.#read(lookup, [tenant, id])[0]?.[0] as string | undefined;
    const record = await this.get(tenant, kind, id);
    return record === undefined || record.archivedAt !== null ? undefined : toJsonText(models[kind], record);
  }

  async list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]> {
    const table = tables[kind];
    return this.#guarded((reads) => readList(reads, table, tenant, query)).map((row) => toRecord<K>(table, row));
  }

  async listJson(tenant: string, kind: Kind, query: Query): Promise<readonly string[]> {
    this.#connections.hasRead = true;
    const table = tables[kind];
    if (!hasJsonColumn(table)) {
      const records = await this.list(tenant, kind, query);
      return records.map((record) => toJsonText(models[kind], record));
    }
    return this.#guarded((reads) => readListJson(reads, table, tenant, query));
  }

  async commit(
    tenant: string,
    now: number,
    propose: (at: number) => readonly Write[],
    conditions?: CommitConditions,
  ): Promise<void> {
    this.#assertOpen();
    await this.#queue.add({ tenant, now, propose, conditions });
  }

  async settingsVersion(tenant: string): Promise<number> {
    return Number(this.#read(settingsVersionSql, [tenant])[0]?.[0] ?? 0);
  }

  async findApiKey(hash: string): Promise<ApiKeyWithScopes | undefined> {
    const row = this.#read(keySql, [hash])[0];
    if (row === undefined) return undefined;
    const [tenantId, scopes, ...columns] = row;
    const key = toRecord<"apiKey">(tables.apiKey, columns);
    return { ...key, tenantId: String(tenantId), scopes: JSON.parse(String(scopes)) as string[] };
  }

  async activeOpportunities(
    tenant: string,
    emailKeys: readonly string[],
    limit: number,
  ): Promise<readonly ContactOpportunities[]> {
    this.#connections.hasRead = true;
    const rows = this.#read(activeOpportunitiesSql, [limit, JSON.stringify(emailKeys), tenant]);
    return rows.map(toContactOpportunities);
  }

  async search(tenant: string, query: SearchQuery): Promise<readonly SearchHit[]> {
    this.#connections.hasRead = true;
    this.#guarded(assertSearchOn);
    const find = (match: "whole" | "prefix"): readonly SearchHit[] => {
      const { sql, values } = buildSearch(tenant, query, match);
      return this.#read(sql, values).map(toSearchHit);
    };
    const whole = find("whole");
    return whole.length === query.limit ? whole : mergeHits(whole, find("prefix"), query.limit);
  }

  async count(tenant: string, kind: Kind, query: Query, max: number): Promise<RecordCount> {
    if (query.words !== undefined) this.#guarded(assertSearchOn);
    const { sql, values } = buildCount(sqliteDialect, tables[kind], tenant, query, max);
    return toRecordCount(this.#read(sql, values)[0] ?? [], max);
  }

  async openTotals(tenant: string, max: number): Promise<readonly OpenTotal[]> {
    return this.#read(openTotalsSql(sqliteDialect), [tenant, max]).map(toOpenTotal);
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const sql = `SELECT ${selectColumns(sqliteDialect, tables.tenant)} FROM tenants t ORDER BY created_at, id`;
    return this.#read(sql, []).map((row) => toRecord<"tenant">(tables.tenant, row));
  }

  async webhookClocks(): Promise<readonly TenantClock[]> {
    return this.#read(webhookClocksSql, []).map(toTenantClock);
  }

  async cursorSecret(): Promise<Uint8Array> {
    const [row] = this.#read("SELECT value FROM settings WHERE name = 'cursor_secret'", []);
    return row?.[0] as Uint8Array;
  }

  async pruneIdempotencyRecords(before: number): Promise<number> {
    this.#assertOpen();
    const sql = `DELETE FROM idempotency_records WHERE rowid IN
      (SELECT rowid FROM idempotency_records WHERE created_at < ? ORDER BY created_at LIMIT ${sweepBatch})`;
    return this.#queue.add({ statements: [{ sql, values: [before] }] });
  }

  async eventsFrom(tenant: string): Promise<number> {
    return Number(this.#read(eventsFromSql, [tenant])[0]?.[0] ?? 0);
  }

  async pruneEvents(tenant: string, before: number): Promise<number> {
    this.#assertOpen();
    // Most calls find nothing. Then no lock is needed.
    const [oldest] = await this.list(tenant, "event", { limit: 1 });
    if (oldest === undefined || oldest.updatedAt >= before) return 0;
    return this.#queue.add({ statements: pruneEventsStatements(tenant, before) });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#connections.close();
  }

  #read(sql: string, values: readonly unknown[]): unknown[][] {
    return this.#guarded((reads) => reads.rows(sql).all(...values));
  }

  #guarded<T>(read: (reads: StatementCache) => T): T {
    this.#assertOpen();
    try {
      return read(this.#connections.reads);
    } catch (error) {
      throw toStorageUnavailable(error);
    }
  }

  #assertOpen(): void {
    if (!this.#connections.isOpen) throw new StorageUnavailable("The database is closed.");
  }
}

/**
 * Opens a storage in a SQLite file, or in memory if the file is ":memory:". Several processes can share a file. An
 * older file is copied and then migrated.
 * @throws DatabaseError if the file is empty, corrupt, newer, or belongs to another program
 */
export function sqliteStorage({ file, onMigrated, search, onSearchBuild, ...options }: SqliteOptions): Storage {
  const path = file === ":memory:" ? file : resolvePath(file);
  const database = openWriter(path, migrations, onMigrated);
  try {
    if (search !== undefined) switchSearch(database, search, onSearchBuild);
    return new SqliteStorage(new ConnectionPair(database, options), options);
  } catch (error) {
    database.close();
    throw toDatabaseError(error, path);
  }
}

/**
 * Opens a consistent, read-only snapshot of a database file. Later writes of any process are not visible in it.
 * @throws DatabaseError if the file doesn't exist or has another schema version
 */
export function sqliteSnapshot(options: { readonly file: string }): Storage {
  const database = openReadonly(options.file);
  const [found, known] = [schemaVersionOf(database), latestVersion(migrations)];
  if (found !== known) {
    database.close();
    throw new DatabaseError(`${options.file} has schema ${found}; this program needs ${known}. Run \`migrate\`.`);
  }
  // The snapshot of a deferred transaction starts at its first read.
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM settings").get();
  return new SqliteStorage(new ConnectionPair(database, { isSnapshot: true }));
}

/** A storage in memory that can be serialized. */
export type SerializableStorage = { readonly storage: Storage; serialize(): Buffer };

/** Opens a storage from an image, or an empty one with the given cursor secret. */
export function openMemoryImage(
  from: { readonly image: Buffer } | { readonly secret: Uint8Array },
): SerializableStorage {
  const database = "image" in from ? openSerialized(from.image) : openWriter(":memory:");
  if ("secret" in from) database.prepare("UPDATE settings SET value = ? WHERE name = 'cursor_secret'").run(from.secret);
  const storage = new SqliteStorage(new ConnectionPair(database));
  return { storage, serialize: () => database.serialize() };
}
