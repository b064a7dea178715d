import type { Pool } from "pg";
/**
 * Removes a tenant and everything that belongs to it. The first transaction archives the tenant, so that its API keys stop
 * working at once. Then each table has a transaction of its own. If the removal is interrupted, call it again.
 * @param backUp called before the first change, while no server can write to the tenant. If it rejects, nothing changes.
 * @throws StorageUnavailable
 */
export declare function removeTenant(pool: Pool, tenantId: string, backUp: () => Promise<void>): Promise<void>;
