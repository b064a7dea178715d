import { uuidTimePrefix } from "../../model/uuid.ts";
import { maxPrunedEvents } from "../storage.ts";

type QueryRows = (sql: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Deletes the oldest events of a tenant before a time. Returns how many. */
export async function pruneEvents(query: QueryRows, tenant: string, before: number): Promise<number> {
  const [last] = await query(lastOldEventSql, [tenant, uuidTimePrefix(before), maxPrunedEvents]);
  if (last === undefined) return 0;
  const from = Number(last.updated_at) + 1;
  return (await query(pruneEventsSql, [from, tenant, uuidTimePrefix(from)])).length;
}

/** Selects the last of the oldest events. */
const lastOldEventSql = `
  SELECT updated_at FROM (
    SELECT id, updated_at FROM events WHERE tenant_id = ? AND id < ? ORDER BY id LIMIT ?
  ) old ORDER BY id DESC LIMIT 1`;

/** Moves `events_from` to a time and deletes all events before it. Another server can have done the same. */
const pruneEventsSql = `
  WITH moved AS (
    UPDATE tenant_clocks SET events_from = greatest(events_from, ?) WHERE tenant_id = ? RETURNING tenant_id
  )
  DELETE FROM events e USING moved m WHERE e.tenant_id = m.tenant_id AND e.id < ? RETURNING 1`;
