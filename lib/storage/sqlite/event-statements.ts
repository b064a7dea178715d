import { uuidTimePrefix } from "../../model/uuid.ts";
import { maxPrunedEvents } from "../storage.ts";
import { sqliteDialect } from "./schema.ts";
import type { Maintenance } from "./transaction-runner.ts";

export const eventsFromSql = `SELECT events_from FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}`;

const oldTimesSql = "SELECT updated_at FROM events WHERE tenant_id = ? AND id < ? ORDER BY id LIMIT ?";
const moveEventsFromSql = `UPDATE tenant_clocks SET events_from =
  coalesce((SELECT max(updated_at) + 1 FROM (${oldTimesSql})), events_from) WHERE tenant_id = ?`;
/** The IDs of events start with their time, as `uuidTimePrefix` formats it. */
const deleteEventsSql = `DELETE FROM events WHERE tenant_id = ? AND id <
  (SELECT format('%08x-%04x', events_from >> 16, events_from & 65535) FROM tenant_clocks WHERE tenant_id = ?)`;

/**
 * Returns the statements that move `events_from` after the oldest events before a time, and delete all events before
 * it.
 */
export function pruneEventsStatements(tenant: string, before: number): Maintenance["statements"] {
  return [
    { sql: moveEventsFromSql, values: [tenant, uuidTimePrefix(before), maxPrunedEvents, tenant] },
    { sql: deleteEventsSql, values: [tenant, tenant] },
  ];
}
