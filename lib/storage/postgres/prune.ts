import { uuidTimePrefix } from "../../model/uuid.ts";
import { assertSchemaKnown } from "../newer-schema.ts";
import { maxPrunedEvents } from "../storage.ts";
import { isKnownSchema } from "./group-commit.ts";
import { schemaVersion } from "./migrations.ts";
import { readVersionSql } from "./transaction.ts";

type QueryRows = (sql: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Maximum number of idempotency records that one call deletes, so that it never holds locks for long. */
const maxPrunedRecords = 500;

/** Deletes the oldest idempotency records created before a time. Returns how many. @throws NewerSchema */
export async function pruneIdempotencyRecords(query: QueryRows, before: number): Promise<number> {
  const { length } = await query(pruneRecordsSql, [before, maxPrunedRecords]);
  if (length === 0) await assertNotMigrated(query);
  return length;
}

/** Deletes the oldest events of a tenant before a time. Returns how many. @throws NewerSchema */
export async function pruneEvents(query: QueryRows, tenant: string, before: number): Promise<number> {
  const [last] = await query(lastOldEventSql, [tenant, uuidTimePrefix(before), maxPrunedEvents]);
  if (last === undefined) return 0;
  const from = Number(last.updated_at) + 1;
  const { length } = await query(pruneEventsSql, [from, tenant, uuidTimePrefix(from)]);
  if (length === 0) await assertNotMigrated(query);
  return length;
}

/** @throws NewerSchema if nothing was deleted because of a migration */
async function assertNotMigrated(query: QueryRows): Promise<void> {
  const [version] = await query(readVersionSql, []);
  assertSchemaKnown(Number(String(version?.value)), schemaVersion);
}

/** Deletes the oldest idempotency records of all tenants, unless the schema is newer. With shards, it runs on all. */
const pruneRecordsSql = `
  DELETE FROM idempotency_records WHERE (tenant_id, id) IN
    (SELECT tenant_id, id FROM idempotency_records WHERE created_at < ? ORDER BY created_at LIMIT ?)
    AND ${isKnownSchema}
  RETURNING 1`;

/** Selects the last of the oldest events. */
const lastOldEventSql = `
  SELECT updated_at FROM (
    SELECT id, updated_at FROM events WHERE tenant_id = ? AND id < ? ORDER BY id LIMIT ?
  ) old ORDER BY id DESC LIMIT 1`;

/**
 * Moves `events_from` to a time and deletes all events before it, unless the schema is newer. Another server can have
 * done the same.
 */
const pruneEventsSql = `
  WITH moved AS (
    UPDATE tenant_clocks SET events_from = greatest(events_from, ?) WHERE tenant_id = ? AND ${isKnownSchema}
    RETURNING tenant_id
  )
  DELETE FROM events e USING moved m WHERE e.tenant_id = m.tenant_id AND e.id < ? RETURNING 1`;
