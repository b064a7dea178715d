import type { Pool } from "pg";
import { tenantTables } from "../sql/table.ts";
import { withConnection } from "./connection.ts";
import { withoutTimeout } from "./migrate.ts";
import { toStorageUnavailable } from "./storage-errors.ts";

/** Time that the removal waits for a commit of the tenant. */
const lockTimeoutMs = 5_000;

/**
 * Removes a tenant and all its data. The first transaction archives the tenant, so that its API keys stop working at
 * once. Each table then has its own transaction. If the removal is interrupted, call it again.
 * @param backUp called before the first change, while no server can write to the tenant. If it rejects, nothing
 * changes.
 * @throws StorageUnavailable
 */
export async function removeTenant(pool: Pool, tenantId: string, backUp: () => Promise<void>): Promise<void> {
  try {
    await withConnection(pool, async (client) => {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      await client.query("SELECT FROM tenant_clocks WHERE tenant_id = $1 FOR UPDATE", [tenantId]);
      await backUp();
      const archive = "UPDATE tenants SET archived_at = updated_at WHERE tenant_id = $1 AND archived_at IS NULL";
      await client.query(archive, [tenantId]);
      await client.query("COMMIT");
      for (const name of ["api_key_owners", "search_entries", "request_log", "request_counts", ...tenantTables]) {
        await withoutTimeout(client, `DELETE FROM ${name} WHERE tenant_id = $1`, [tenantId]);
        // Without it, the foreign key checks of the next tables read each deleted row once per row that they delete.
        await withoutTimeout(client, `VACUUM ${name}`);
      }
    });
  } catch (error) {
    throw toStorageUnavailable(error);
  }
}
