import { rowJson } from "../sql/json.js";
import { selectOf } from "../sql/query.js";
import { recordOf, selection, tables } from "../sql/table.js";
import { StorageUnavailable, } from "../storage.js";
import { activeContactOf, activeOpportunitiesSql } from "./active-opportunities.js";
import { CommitQueue } from "./commit-queue.js";
import { sqliteDialect } from "./dialect.js";
import { faultOf } from "./fault.js";
import { keepsJson } from "./kept-json.js";
/** A record by its id. */
const lookups = Object.fromEntries(Object.entries(tables).map(([kind, table]) => {
    const columns = selection(sqliteDialect, table);
    return [kind, `SELECT ${columns} FROM ${table.name} t WHERE tenant_id = ? AND id = ?`];
}));
/** The JSON of one that is not archived, where that is kept. */
const jsonLookups = Object.fromEntries(Object.entries(tables).map(([kind, table]) => {
    const sql = `SELECT json FROM ${table.name} WHERE tenant_id = ? AND id = ? AND archived_at IS NULL`;
    return [kind, keepsJson(table) ? sql : undefined];
}));
const keySql = `
  SELECT t.tenant_id, i.scopes, ${selection(sqliteDialect, tables.apiKey)} FROM api_keys t
  JOIN integrations i ON i.tenant_id = t.tenant_id AND i.id = t.integration_id AND i.archived_at IS NULL
  JOIN tenants c ON c.tenant_id = t.tenant_id AND c.archived_at IS NULL
  WHERE t.hash = ${sqliteDialect.given} AND t.archived_at IS NULL`;
function recordJsonOf([id, updatedAt, json]) {
    return { id: id, updatedAt: updatedAt, json: json };
}
/** How many records one `sweep` forgets at most, so that it never holds the lock for long. */
const sweepBatch = 500;
/** What a place of SQLite keeps. */
export class SqliteStorage {
    #place;
    #queue;
    constructor(place, onCommit) {
        this.#place = place;
        this.#queue = new CommitQueue(place, onCommit);
    }
    async get(tenant, kind, id) {
        const row = this.#read(lookups[kind], [tenant, id])[0];
        return row === undefined ? undefined : recordOf(tables[kind], row);
    }
    async getJson(tenant, kind, id) {
        const table = tables[kind];
        const lookup = jsonLookups[kind];
        if (lookup !== undefined)
            return this.#read(lookup, [tenant, id])[0]?.[0];
        const row = this.#read(lookups[kind], [tenant, id])[0];
        return row === undefined || row[table.columns.length - 1] !== null ? undefined : rowJson(table, row).json;
    }
    async list(tenant, kind, query) {
        const table = tables[kind];
        const { sql, values } = selectOf(sqliteDialect, table, tenant, query);
        return this.#read(sql, values).map((row) => recordOf(table, row));
    }
    async listJson(tenant, kind, query) {
        const table = tables[kind];
        const read = (shown) => {
            const { sql, values } = selectOf(sqliteDialect, table, tenant, query, shown);
            return shown === "json" ? this.#readUntil(sql, values, query.maxBytes) : this.#read(sql, values);
        };
        if (!keepsJson(table))
            return read("record").map((row) => rowJson(table, row));
        if (query.maxBytes !== undefined) {
            // Most pages have short records only. Reading those at once is faster than counting their bytes.
            const rows = read("shortJson");
            if (rows.every(([, , json]) => json !== null))
                return rows.map(recordJsonOf);
        }
        return read("json").map(recordJsonOf);
    }
    async commit(tenant, now, propose) {
        this.#assertOpen();
        await this.#queue.add({ tenant, now, propose });
    }
    async apiKey(hash) {
        const row = this.#read(keySql, [hash])[0];
        if (row === undefined)
            return undefined;
        const [tenantId, scopes, ...columns] = row;
        const key = recordOf(tables.apiKey, columns);
        return { ...key, tenantId: String(tenantId), scopes: JSON.parse(String(scopes)) };
    }
    async activeOpportunities(tenant, emailKeys, limit) {
        const rows = this.#read(activeOpportunitiesSql, [limit, JSON.stringify(emailKeys), tenant]);
        return rows.map(activeContactOf);
    }
    async tenants() {
        const sql = `SELECT ${selection(sqliteDialect, tables.tenant)} FROM tenants t WHERE archived_at IS NULL ORDER BY created_at, id`;
        return this.#read(sql, []).map((row) => recordOf(tables.tenant, row));
    }
    async secret() {
        return this.#guarded(() => this.#place.open.secret());
    }
    async sweep(before) {
        this.#assertOpen();
        const sql = `DELETE FROM idempotency_records WHERE rowid IN
      (SELECT rowid FROM idempotency_records WHERE created_at < ? ORDER BY created_at LIMIT ${sweepBatch})`;
        return this.#queue.add({ sql, values: [before] });
    }
    async close() {
        await this.#queue.close();
        await this.#place.close();
    }
    #read(sql, values) {
        return this.#guarded(() => this.#place.open.reads.rows(sql).all(...values));
    }
    /** Reads rows until their JSON exceeds `maxBytes`, and at least two if there are two. */
    #readUntil(sql, values, maxBytes = Number.POSITIVE_INFINITY) {
        return this.#guarded(() => {
            const rows = [];
            let bytes = 0;
            for (const row of this.#place.open.reads.rows(sql).iterate(...values)) {
                rows.push(row);
                bytes += Buffer.byteLength(row[2]);
                if (bytes > maxBytes && rows.length > 1)
                    break;
            }
            return rows;
        });
    }
    #guarded(read) {
        this.#assertOpen();
        try {
            return read();
        }
        catch (error) {
            throw faultOf(error);
        }
    }
    #assertOpen() {
        if (!this.#place.open.isOpen)
            throw new StorageUnavailable("The database is closed.");
    }
}
