import { formatDateTime } from "../../model/date-time.ts";
import type { ApiKey, Integration } from "../../model/integration.ts";

/** Returns the write that revokes an API key at `now`, in a commit at `at`. */
export function revokeWrite(key: ApiKey, at: number, now: number) {
  const record: ApiKey = { ...key, revokedAt: now, updatedAt: at };
  return { op: "update", kind: "apiKey", record, expectedUpdatedAt: key.updatedAt, before: key } as const;
}

/** Returns the status of an API key at a time in milliseconds. A revoked API key remains revoked after it expires. */
export function apiKeyStatus(
  key: Pick<ApiKey, "expiresAt" | "revokedAt">,
  now: number,
): "active" | "revoked" | "expired" {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

/** Returns the JSON of an API key for admins. The value is masked. */
export function toApiKeyJson(key: ApiKey, owner: Pick<Integration, "name" | "scopes">, now: number) {
  const { id, integrationId, maskedKey, createdBy } = key;
  const fields = { id, integrationId, integrationName: owner.name, maskedKey, scopes: owner.scopes };
  const times = {
    lastUsedAt: formatDateTime(key.lastUsedAt),
    expiresAt: formatDateTime(key.expiresAt),
    revokedAt: formatDateTime(key.revokedAt),
  };
  return { ...fields, status: apiKeyStatus(key, now), createdAt: formatDateTime(key.createdAt), createdBy, ...times };
}
