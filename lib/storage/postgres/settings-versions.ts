import { setImmediate as nextTurn } from "node:timers/promises";
import type { QueryRows } from "./api-key-lookup.ts";

/** A statement that is sent at the end of this turn of the event loop, and the tenants that it is for. */
type SharedRead = { readonly tenants: Set<string>; readonly versions: Promise<ReadonlyMap<unknown, number>> };

const versionsSql = "SELECT tenant_id, settings_version FROM tenant_clocks WHERE tenant_id";

/**
 * Returns a function that reads the settings version of a tenant, 0 if the tenant is unknown. Each request reads it, so
 * the reads of a turn of the event loop share a statement. On a distributed database, each has its own, because a
 * statement for several tenants asks several shards.
 */
export function settingsVersions(queryRows: QueryRows, isDistributed = false): (tenant: string) => Promise<number> {
  let shared: SharedRead | undefined;

  const readAll = async (tenants: ReadonlySet<string>): Promise<ReadonlyMap<unknown, number>> => {
    await nextTurn();
    shared = undefined;
    const rows = await queryRows(`${versionsSql} = ANY(?)`, [[...tenants]]);
    return new Map(rows.map((row) => [row.tenant_id, Number(row.settings_version)]));
  };

  const readShared = async (tenant: string): Promise<number> => {
    if (shared === undefined) {
      const tenants = new Set<string>();
      shared = { tenants, versions: readAll(tenants) };
    }
    shared.tenants.add(tenant);
    return (await shared.versions).get(tenant) ?? 0;
  };

  const readOne = async (tenant: string): Promise<number> => {
    const [row] = await queryRows(`${versionsSql} = ?`, [tenant]);
    return Number(row?.settings_version ?? 0);
  };

  return isDistributed ? readOne : readShared;
}
