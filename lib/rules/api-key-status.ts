import type { ApiKey, Integration } from "../records/integration.ts";
import { timeText } from "../records/time.ts";

/** The write that revokes a key at an instant. */
export function revocation(key: ApiKey, at: number) {
  const record: ApiKey = { ...key, revokedAt: at, updatedAt: at };
  return { op: "update", kind: "apiKey", record, was: key.updatedAt } as const;
}

/** What a key is at a time (ms): a revoked one stays revoked when it would have expired. */
export function statusOf(key: Pick<ApiKey, "expiresAt" | "revokedAt">, now: number): "active" | "revoked" | "expired" {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

/** A key as administrators see it, masked. */
export function keyView(key: ApiKey, owner: Pick<Integration, "name" | "scopes">, now: number) {
  const { id, integrationId, maskedKey, createdBy } = key;
  const shown = { id, integrationId, integrationName: owner.name, maskedKey, scopes: owner.scopes };
  const times = {
    lastUsedAt: timeText(key.lastUsedAt),
    expiresAt: timeText(key.expiresAt),
    revokedAt: timeText(key.revokedAt),
  };
  return { ...shown, status: statusOf(key, now), createdAt: timeText(key.createdAt), createdBy, ...times };
}
