import { selectOf } from "../sql/query.js";
import { fromRow, selection, tables } from "../sql/table.js";
import { StorageUnavailable, } from "../storage.js";
import { activeContactOf, activeOpportunitiesSql } from "./active-opportunities.js";
import { apiKeyLookup } from "./api-key.js";
import { CommitQueue } from "./commit-queue.js";
import { assertKeepsStatements, rejectStandbys } from "./connection-checks.js";
import { postgresDialect } from "./dialect.js";
import { faultOf } from "./fault.js";
import { migrate } from "./migrate.js";
import { statement } from "./statement.js";
import { together } from "./together.js";
/** How long a request waits for a connection where the pool does not say. */
const connectionWaitMs = 5_000;
/** Default limit for a statement. Without one, a request never ends if the network silently drops its connection. */
const queryTimeoutMs = 30_000;
/** How many records one `sweep` forgets at most, so that it never holds locks for long. */
const sweepBatch = 500;
/**
 * Opens PostgreSQL 15 or later as a storage, for any number of servers. Creates the schema if there is none. The
 * storage owns the pool and ends it on `close`. If the pool sets no timeouts, a connection attempt may take 5 seconds
 * and a statement 30 seconds.
 * @throws DatabaseRefused if the schema is newer, if commits aren't durable or if a pooler loses prepared statements
 * @throws StorageUnavailable if the database can't be reached or is a standby
 */
export async function postgresStorage(pool, { onCommit } = {}) {
    await openPool(pool);
    return new PostgresStorage(pool, together(pool), onCommit);
}
/**
 * Prepares the pool: it survives a database restart, uses pipelining and rejects standbys. Then updates the schema.
 * @throws DatabaseRefused, StorageUnavailable as `postgresStorage`
 * @throws TypeError if the pool reads in binary
 */
export async function openPool(pool) {
    if (pool.options.binary === true)
        throw new TypeError("A pool with binary: true reads times as other numbers. Leave it out.");
    // Without a listener, an idle connection that breaks would end the process.
    pool.on("error", () => { });
    // So would a new connection that breaks before its user listens.
    pool.on("connect", (client) => void client.on("error", () => { }));
    pool.options.connectionTimeoutMillis ||= connectionWaitMs;
    pool.options.query_timeout ||= queryTimeoutMs;
    pool.options.pipeline ??= true;
    rejectStandbys(pool);
    await assertKeepsStatements(pool);
    await migrate(pool);
}
/** What a pool keeps. */
export class PostgresStorage {
    #pool;
    #ask;
    #queue;
    #apiKey = apiKeyLookup((sql, values) => this.#read(sql, values));
    #closed;
    constructor(pool, ask, onCommit) {
        this.#pool = pool;
        this.#ask = ask;
        this.#queue = new CommitQueue(pool, onCommit);
    }
    async get(tenant, kind, id) {
        const table = tables[kind];
        const sql = `SELECT ${selection(postgresDialect, table)} FROM ${table.name} t WHERE tenant_id = ? AND id = ?`;
        const [row] = await this.#read(sql, [tenant, id]);
        return row === undefined ? undefined : fromRow(table, row);
    }
    async list(tenant, kind, query) {
        const table = tables[kind];
        const { sql, values } = selectOf(postgresDialect, table, tenant, query);
        return (await this.#read(sql, values)).map((row) => fromRow(table, row));
    }
    async commit(tenant, now, propose) {
        this.#assertOpen();
        await this.#queue.add(tenant, { now, propose });
    }
    apiKey(hash) {
        return this.#apiKey(hash);
    }
    async activeOpportunities(tenant, emailKeys, limit) {
        return (await this.#read(activeOpportunitiesSql, [tenant, emailKeys, limit])).map(activeContactOf);
    }
    async tenants() {
        const columns = selection(postgresDialect, tables.tenant);
        const rows = await this.#read(`SELECT ${columns} FROM tenants t WHERE archived_at IS NULL ORDER BY created_at, id`, []);
        return rows.map((row) => fromRow(tables.tenant, row));
    }
    async secret() {
        const [row] = await this.#read("SELECT value FROM settings WHERE name = 'cursor_secret'", []);
        return row?.value;
    }
    /** Tenant by tenant: the oldest of all would be looked for on every shard. */
    async sweep(before) {
        const tenants = await this.#read("SELECT tenant_id FROM tenants ORDER BY tenant_id", []);
        const old = "SELECT id FROM idempotency_records WHERE tenant_id = ? AND created_at < ? ORDER BY created_at, id LIMIT ?";
        const sql = `DELETE FROM idempotency_records WHERE tenant_id = ? AND id IN (${old}) RETURNING 1`;
        let swept = 0;
        for (const { tenant_id: tenant } of tenants) {
            if (swept < sweepBatch)
                swept += (await this.#read(sql, [tenant, tenant, before, sweepBatch - swept])).length;
        }
        return swept;
    }
    close() {
        this.#closed ??= this.#close();
        return this.#closed;
    }
    async #close() {
        await this.#queue.idle();
        await this.#pool.end();
    }
    async #read(sql, values) {
        this.#assertOpen();
        try {
            return (await this.#ask(statement(sql, values))).rows;
        }
        catch (error) {
            throw faultOf(error);
        }
    }
    #assertOpen() {
        if (this.#closed !== undefined)
            throw new StorageUnavailable("The database is closed.");
    }
}
