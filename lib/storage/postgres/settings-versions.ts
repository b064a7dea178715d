import type { QueryRows } from "./api-key-lookup.ts";

type Waiting = { readonly resolve: (version: number) => void; readonly reject: (error: unknown) => void };

/**
 * Returns a function that reads the settings version of a tenant, 0 if the tenant is unknown. Each request reads it, so the
 * reads of a turn of the event loop share a statement. On a distributed database, each has its own, because a statement
 * for several tenants asks several shards.
 */
export function settingsVersions(queryRows: QueryRows, isDistributed = false): (tenant: string) => Promise<number> {
  if (isDistributed) {
    return async (tenant) => {
      const [row] = await queryRows(`${selectVersion} = ?`, [tenant]);
      return Number(row?.settings_version ?? 0);
    };
  }
  let waiting = new Map<string, Waiting[]>();

  const readAll = async (): Promise<void> => {
    const tenants = waiting;
    waiting = new Map();
    try {
      const rows = await queryRows(`${selectVersion} = ANY(?)`, [[...tenants.keys()]]);
      const versions = new Map(rows.map((row) => [row.tenant_id, Number(row.settings_version)]));
      for (const [tenant, reads] of tenants) for (const { resolve } of reads) resolve(versions.get(tenant) ?? 0);
    } catch (error) {
      for (const reads of tenants.values()) for (const { reject } of reads) reject(error);
    }
  };

  return (tenant) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(readAll);
      const reads = waiting.get(tenant);
      if (reads === undefined) waiting.set(tenant, [{ resolve, reject }]);
      else reads.push({ resolve, reject });
    });
}

const selectVersion = "SELECT tenant_id, settings_version FROM tenant_clocks WHERE tenant_id";
