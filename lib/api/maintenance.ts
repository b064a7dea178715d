import { type ApiKeyWithScopes, type Storage, type Write, WriteConflict } from "../storage/storage.ts";
import { idempotencyWindowMs } from "./idempotency.ts";

/** Accuracy of `lastUsedAt`. A write per request would cost too much. */
const lastUsedAccuracyMs = 60_000;

/** Sets `lastUsedAt` of an API key, at most once a minute. */
export async function recordKeyUse(storage: Storage, key: ApiKeyWithScopes, now: number): Promise<void> {
  if (key.lastUsedAt !== null && Math.abs(now - key.lastUsedAt) < lastUsedAccuracyMs) return;
  const { tenantId, scopes: _, ...record } = key;
  const update = (at: number): Write => ({
    op: "update",
    kind: "apiKey",
    record: { ...record, lastUsedAt: now, updatedAt: at },
    expectedUpdatedAt: record.updatedAt,
    before: record,
  });
  try {
    await storage.commit(tenantId, now, (at) => [update(at)]);
  } catch (error) {
    // Another request has updated the API key. The next use is recorded.
    if (!(error instanceof WriteConflict)) throw error;
  }
}

/** Deletes expired idempotency records in batches, so that requests can run in between. Returns their number. */
export async function pruneExpired(storage: Storage, now: number): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await storage.pruneIdempotencyRecords(now - idempotencyWindowMs);
    total += deleted;
    if (deleted === 0) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Deletes the events before a time, tenant by tenant and in batches, so that requests can run in between. Returns their
 * number.
 */
export async function pruneOldEvents(storage: Storage, before: number): Promise<number> {
  let total = 0;
  for (const { id } of await storage.listTenants()) {
    for (let deleted = 1; deleted > 0; total += deleted) {
      deleted = await storage.pruneEvents(id, before);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return total;
}
