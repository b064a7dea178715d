import { timeText } from "../records/time.js";
/** The write that revokes a key at an instant. */
export function revocation(key, at) {
    const record = { ...key, revokedAt: at, updatedAt: at };
    return { op: "update", kind: "apiKey", record, was: key.updatedAt };
}
/** What a key is at a time (ms): a revoked one stays revoked when it would have expired. */
export function statusOf(key, now) {
    if (key.revokedAt !== null)
        return "revoked";
    return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}
/** A key as administrators see it, masked. */
export function keyView(key, owner, now) {
    const { id, integrationId, maskedKey, createdBy } = key;
    const shown = { id, integrationId, integrationName: owner.name, maskedKey, scopes: owner.scopes };
    const times = {
        lastUsedAt: timeText(key.lastUsedAt),
        expiresAt: timeText(key.expiresAt),
        revokedAt: timeText(key.revokedAt),
    };
    return { ...shown, status: statusOf(key, now), createdAt: timeText(key.createdAt), createdBy, ...times };
}
