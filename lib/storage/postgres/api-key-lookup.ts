import { LRUCache } from "lru-cache";
import { recordFromRow, selectColumns, tables } from "../sql/table.ts";
import type { ApiKeyWithScopes } from "../storage.ts";
import { postgresDialect } from "./statement.ts";

/** Runs a prepared statement and returns its rows. */
export type QueryRows = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Number of API keys whose tenant is cached. */
const maxCachedOwners = 20_000;

const ownerSql = "SELECT tenant_id FROM api_key_owners WHERE hash = ?";
const keySql = `SELECT ${selectColumns(postgresDialect, tables.apiKey)}, i.scopes AS scopes
  FROM api_keys t
  JOIN integrations i ON i.tenant_id = t.tenant_id AND i.id = t.integration_id AND i.archived_at IS NULL
  JOIN tenants c ON c.tenant_id = t.tenant_id AND c.archived_at IS NULL
  WHERE t.tenant_id = ? AND t.hash = ? AND t.archived_at IS NULL`;

/**
 * Returns a function that finds an API key by its hash. It finds the tenant in `api_key_owners` and then reads the key
 * in that tenant. Only the tenant is cached, because it never changes. The key is read each time, so that a
 * revocation takes effect at once on every server.
 */
export function apiKeyLookup(queryRows: QueryRows): (hash: string) => Promise<ApiKeyWithScopes | undefined> {
  const owners = new LRUCache<string, string>({ max: maxCachedOwners });
  const findInTenant = async (tenantId: string, hash: string): Promise<ApiKeyWithScopes | undefined> => {
    const [row] = await queryRows(keySql, [tenantId, hash]);
    if (row === undefined) return undefined;
    const key = recordFromRow<"apiKey">(tables.apiKey, row);
    return { ...key, tenantId, scopes: JSON.parse(String(row.scopes)) as string[] };
  };
  return async (hash) => {
    const cachedTenantId = owners.get(hash);
    const cached = cachedTenantId === undefined ? undefined : await findInTenant(cachedTenantId, hash);
    if (cached !== undefined) return cached;
    const [owner] = await queryRows(ownerSql, [hash]);
    if (owner === undefined || owner.tenant_id === cachedTenantId) return undefined;
    const tenantId = String(owner.tenant_id);
    owners.set(hash, tenantId);
    return findInTenant(tenantId, hash);
  };
}
