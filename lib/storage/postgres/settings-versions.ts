import type { QueryRows } from "./api-key-lookup.ts";
import { batchReads } from "./batch-reads.ts";

const versionsSql = "SELECT tenant_id, settings_version FROM tenant_clocks WHERE tenant_id";

/**
 * Returns a function that reads the settings version of a tenant, 0 if the tenant is unknown. Each request reads it, so
 * the reads of a turn of the event loop share a statement. On a distributed database, each has its own, because a
 * statement for several tenants asks several shards.
 */
export function settingsVersions(queryRows: QueryRows, isDistributed = false): (tenant: string) => Promise<number> {
  const readShared = batchReads<string, number>(String, async (tenants) => {
    const rows = await queryRows(`${versionsSql} = ANY(?)`, [[...new Set(tenants)]]);
    return new Map(rows.map((row) => [String(row.tenant_id), Number(row.settings_version)]));
  });
  const readOne = async (tenant: string): Promise<number | undefined> => {
    const [row] = await queryRows(`${versionsSql} = ?`, [tenant]);
    return row && Number(row.settings_version);
  };
  return async (tenant) => (await (isDistributed ? readOne : readShared)(tenant)) ?? 0;
}
