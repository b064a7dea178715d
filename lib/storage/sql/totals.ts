import type { OpenTotal, RecordCount } from "../storage.ts";
import { type Dialect, tables } from "./table.ts";

/** Converts a row of `buildCount`. */
export function toRecordCount([matches, examined]: readonly unknown[], max: number): RecordCount {
  return { count: Math.min(Number(matches), max), isMinimum: Number(examined) > max };
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
