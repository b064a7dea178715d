import { type ApiKeyWithScopes, type Storage, type Write, WriteConflict } from "../storage/storage.ts";
import { idempotencyWindowMs } from "./idempotency.ts";

/** `lastUsedAt` is no finer than this: a write per request would cost more than it tells. */
const touchEveryMs = 60_000;

/** Notes that a key was used, unless that was noted within the minute. Nobody waits for it. */
export async function recordKeyUse(storage: Storage, key: ApiKeyWithScopes, now: number): Promise<void> {
  if (key.lastUsedAt !== null && Math.abs(now - key.lastUsedAt) < touchEveryMs) return;
  const { tenantId, scopes: _, ...record } = key;
  try {
    await storage.commit(tenantId, now, (at): readonly Write[] => [
      {
        op: "update",
        kind: "apiKey",
        record: { ...record, lastUsedAt: now, updatedAt: at },
        expectedUpdatedAt: record.updatedAt,
      },
    ]);
  } catch (error) {
    // Someone else noted it, or changed the key: there will be a next request.
    if (!(error instanceof WriteConflict)) throw error;
  }
}

/** Forgets the answers whose 24 hours are over, in small batches, with room for requests between them. */
export async function pruneExpired(storage: Storage, now: number): Promise<number> {
  let total = 0;
  for (;;) {
    const swept = await storage.pruneIdempotencyRecords(now - idempotencyWindowMs);
    total += swept;
    if (swept === 0) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
