import type { ApiKey, Integration } from "../records/integration.ts";
/** The write that revokes a key at an instant. */
export declare function revocation(key: ApiKey, at: number): {
    readonly op: "update";
    readonly kind: "apiKey";
    readonly record: import("../records/model.ts").Stamps & {
        readonly integrationId: string;
        readonly hash: string;
        readonly maskedKey: string;
        readonly createdBy: string | null;
        readonly lastUsedAt: number | null;
        readonly expiresAt: number | null;
        readonly revokedAt: number | null;
    };
    readonly was: number;
};
/** What a key is at a time (ms): a revoked one stays revoked when it would have expired. */
export declare function statusOf(key: Pick<ApiKey, "expiresAt" | "revokedAt">, now: number): "active" | "revoked" | "expired";
/** A key as administrators see it, masked. */
export declare function keyView(key: ApiKey, owner: Pick<Integration, "name" | "scopes">, now: number): {
    id: string;
    integrationId: string;
    integrationName: string;
    maskedKey: string;
    scopes: ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[];
    lastUsedAt: string | null;
    expiresAt: string | null;
    revokedAt: string | null;
    status: "active" | "expired" | "revoked";
    createdAt: string | null;
    createdBy: string | null;
};
