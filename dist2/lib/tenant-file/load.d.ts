import type { Finding } from "../errors.ts";
import type { Clock } from "../limits.ts";
import { type Storage } from "../storage.ts";
/** A tenant file that was not loaded. Nothing of it was kept; `findings` names every fault with its path. */
export declare class TenantFileRefused extends Error {
    readonly findings: readonly Finding[];
    constructor(message: string, findings?: readonly Finding[]);
}
/** What was loaded. The keys are those that the file gives in clear. */
export type LoadedTenant = {
    /** False where the tenant was there before and nothing was changed. */
    readonly created: boolean;
    readonly tenantId: string;
    readonly name: string;
    readonly keys: readonly {
        readonly tenant: string;
        readonly integration: string;
        readonly key: string;
        readonly scopes: readonly string[];
        readonly revoked: boolean;
    }[];
};
/**
 * Validates a parsed tenant file whole and loads it in one commit. Its records keep the times that the file gives,
 * so that a sync can go on where it was. A tenant that is in the storage already is left as it is.
 * @throws TenantFileRefused
 */
export declare function loadTenantFile(storage: Storage, file: unknown, tools: {
    readonly clock: Pick<Clock, "now">;
    readonly newId: () => string;
}): Promise<LoadedTenant>;
/** What a file would become in a storage. */
export type CheckedTenant = {
    /** Whether the storage has a tenant of this id already, which would be left as it is. */
    readonly isThere: boolean;
    readonly tenantId: string;
    readonly name: string;
    /** How many records the file has, the tenant among them. */
    readonly records: number;
};
/**
 * Does what `loadTenantFile` would do but for writing. Without a storage the file alone is looked at.
 * @throws TenantFileRefused with everything that is wrong
 */
export declare function checkTenantFile(storage: Storage | undefined, file: unknown, tools: {
    readonly clock: Pick<Clock, "now">;
    readonly newId: () => string;
}): Promise<CheckedTenant>;
/** The content of a tenant file's bytes. @throws TenantFileRefused where they are not JSON */
export declare function parseTenantFile(bytes: Uint8Array): unknown;
