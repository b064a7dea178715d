import type { Pool } from "pg";
import { isCounted, isEntry, type RequestLog } from "../request-log.ts";
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
import { type ArrayType, arrayParameters } from "./array-parameters.ts";

const dialect: RequestLogDialect = { placeholder: (index) => `$${index}`, isSame: "IS NOT DISTINCT FROM" };
const tables = { entries: "request_log", counts: "request_counts" };
const pruneIntervalMs = 60_000;
/** A tenant, and the whole log, is checked each time it has got this share of its limit. */
const checkedShare = 20;

/** The types of the columns that aren't texts. */
const columnTypes: Readonly<Record<string, ArrayType>> = {
  ...{ at: "bigint", status: "bigint", count: "bigint", client_errors: "bigint", server_errors: "bigint" },
  ...{ duration_ms: "double precision", max_ms: "double precision" },
};
const typesOf = (columns: readonly string[]): ArrayType[] => columns.map((name) => columnTypes[name] ?? "text");
const insertSql = (table: string, columns: readonly string[]): string => {
  const arrays = typesOf(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `INSERT INTO ${table} (${columns.join(", ")}) SELECT * FROM unnest(${arrays.join(", ")})`;
};
const addEntriesSql = insertSql(tables.entries, entryColumns);
const addCountsSql = `${insertSql(tables.counts, countColumns)}
  ON CONFLICT (tenant_id, at, integration_id, operation, code) DO UPDATE SET
    count = request_counts.count + excluded.count,
    client_errors = request_counts.client_errors + excluded.client_errors,
    server_errors = request_counts.server_errors + excluded.server_errors,
    duration_ms = request_counts.duration_ms + excluded.duration_ms,
    max_ms = greatest(request_counts.max_ms, excluded.max_ms)`;
const tenantExcessSql = "SELECT at FROM request_log WHERE tenant_id = $1 ORDER BY at DESC, id DESC OFFSET $2 LIMIT 1";
const removeTenantExcessSql = "DELETE FROM request_log WHERE tenant_id = $1 AND at <= $2";
const excessSql = "SELECT at FROM request_log ORDER BY at DESC OFFSET $1 LIMIT 1";
const removeExcessSql = "DELETE FROM request_log WHERE at <= $1";

/** Returns a request log in the unlogged tables of a PostgreSQL database, which a crash of the database empties. */
export function postgresRequestLog(pool: Pool, options: RequestLogLimits): RequestLog {
  const { maxAgeMs, maxTenantEntries = defaultMaxTenantEntries, maxEntries = defaultMaxEntries } = options;
  let prunedAt = Number.NEGATIVE_INFINITY;
  const tenantCounts = new TenantEntryCounts(Math.ceil(maxTenantEntries / checkedShare));
  let sinceCheck = maxEntries;
  const checkedLimit = 1 - 1 / checkedShare;
  // Citus can't run a DELETE that selects from other tenants, so the time is read first.
  const readAt = async (sql: string, values: readonly unknown[]): Promise<string | undefined> =>
    (await pool.query<{ at: string }>(sql, [...values])).rows[0]?.at;
  return {
    async append(all) {
      const entries = all.filter(isEntry);
      const counted = all.filter(isCounted);
      if (entries.length > 0)
        await pool.query(
          addEntriesSql,
          arrayParameters([{ types: typesOf(entryColumns), rows: entries.map(entryValues) }]),
        );
      // In one order, so that the statements of two servers don't wait for each other in a circle.
      const rows = counted.map(countValues).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      if (rows.length > 0) await pool.query(addCountsSql, arrayParameters([{ types: typesOf(countColumns), rows }]));
      for (const tenantId of tenantCounts.add(entries)) {
        const oldest = await readAt(tenantExcessSql, [tenantId, Math.floor(maxTenantEntries * checkedLimit)]);
        if (oldest !== undefined) await pool.query(removeTenantExcessSql, [tenantId, oldest]);
      }
      sinceCheck += entries.length;
      if (sinceCheck >= maxEntries / checkedShare) {
        sinceCheck = 0;
        const oldest = await readAt(excessSql, [Math.floor(maxEntries * checkedLimit)]);
        if (oldest !== undefined) await pool.query(removeExcessSql, [oldest]);
      }
      const newest = all.at(-1)?.at ?? 0;
      if (newest - prunedAt < pruneIntervalMs) return;
      prunedAt = newest;
      for (const table of Object.values(tables))
        await pool.query(`DELETE FROM ${table} WHERE at < $1`, [newest - maxAgeMs]);
    },
    async find(tenantId, query) {
      const { sql, values } = findStatement(dialect, tables, tenantId, query);
      const { rows } = await pool.query<Record<string, unknown>>(sql, [...values]);
      return rows.map((each) => toEntry({ ...each, at: Number(each.at), status: Number(each.status) }));
    },
    async totals(tenantId, query) {
      const { sql, values } = totalsStatement(dialect, tables, tenantId, query);
      const { rows } = await pool.query<Record<string, unknown>>(sql, [...values]);
      return rows.map(toTotal);
    },
  };
}
