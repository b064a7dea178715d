import type { ApiKey, Integration } from "../../model/integration.ts";
import { formatDateTime } from "../../model/time.ts";

/** The write that revokes a key at an instant. */
export function revokeWrite(key: ApiKey, at: number) {
  const record: ApiKey = { ...key, revokedAt: at, updatedAt: at };
  return { op: "update", kind: "apiKey", record, expectedUpdatedAt: key.updatedAt } as const;
}

/** What a key is at a time (ms): a revoked one stays revoked when it would have expired. */
export function apiKeyStatus(
  key: Pick<ApiKey, "expiresAt" | "revokedAt">,
  now: number,
): "active" | "revoked" | "expired" {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

/** A key as administrators see it, masked. */
export function toApiKeyJson(key: ApiKey, owner: Pick<Integration, "name" | "scopes">, now: number) {
  const { id, integrationId, maskedKey, createdBy } = key;
  const shown = { id, integrationId, integrationName: owner.name, maskedKey, scopes: owner.scopes };
  const times = {
    lastUsedAt: formatDateTime(key.lastUsedAt),
    expiresAt: formatDateTime(key.expiresAt),
    revokedAt: formatDateTime(key.revokedAt),
  };
  return { ...shown, status: apiKeyStatus(key, now), createdAt: formatDateTime(key.createdAt), createdBy, ...times };
}
