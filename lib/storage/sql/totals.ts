import type { OpenTotal } from "../storage.ts";
import { type Dialect, type Table, tables } from "./table.ts";

/** Returns the statement that counts at most a number of records of a tenant, from an index. */
export function countSql({ placeholder }: Dialect, { name }: Table): string {
  const rows = `SELECT 1 FROM ${name} WHERE tenant_id = ${placeholder} AND archived = 0 LIMIT ${placeholder}`;
  return `SELECT count(*) AS count FROM (${rows}) counted`;
}

/** Returns the statement of `openTotals`. It reads the opportunities from the index of their status, backwards. */
export function openTotalsSql({ placeholder, sum }: Dialect): string {
  const newest = `SELECT pipeline_id, stage_id, currency, amount FROM ${tables.opportunity.name}
    WHERE tenant_id = ${placeholder} AND status = 'open' AND archived = 0 ORDER BY updated_at DESC, id DESC LIMIT ${placeholder}`;
  return `SELECT pipeline_id, stage_id, currency, count(*) AS count, ${sum("amount")} AS amount FROM (${newest}) newest
    GROUP BY pipeline_id, stage_id, currency`;
}

/** Converts a row of `openTotalsSql`. */
export function toOpenTotal([pipelineId, stageId, currency, count, amount]: readonly unknown[]): OpenTotal {
  return {
    pipelineId: String(pipelineId),
    stageId: String(stageId),
    currency: currency === null ? null : String(currency),
    count: Number(count),
    amount: Number(amount ?? 0),
  };
}
