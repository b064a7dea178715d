import { LRUCache } from "lru-cache";
import { recordFromRow, selectColumns, tables } from "../sql/table.ts";
import type { ApiKeyWithScopes } from "../storage.ts";
import { postgresDialect } from "./dialect.ts";

/** Reads rows with one prepared statement. */
export type QueryRows = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Keys whose tenant is remembered at a time. */
const ownersMax = 20_000;

const ownerSql = "SELECT tenant_id FROM api_key_owners WHERE hash = ?";
const keySql = `SELECT ${selectColumns(postgresDialect, tables.apiKey)}, i.scopes AS scopes
  FROM api_keys t
  JOIN integrations i ON i.tenant_id = t.tenant_id AND i.id = t.integration_id AND i.archived_at IS NULL
  JOIN tenants c ON c.tenant_id = t.tenant_id AND c.archived_at IS NULL
  WHERE t.tenant_id = ? AND t.hash = ? AND t.archived_at IS NULL`;

/**
 * Looks keys up by their hash: whose it is in the small table that knows, then the key at its tenant. Only whose it is
 * is remembered, which never changes; the key itself is read each time, so that a revocation holds at once everywhere.
 */
export function apiKeyLookup(read: QueryRows): (hash: string) => Promise<ApiKeyWithScopes | undefined> {
  const owners = new LRUCache<string, string>({ max: ownersMax });
  const at = async (tenantId: string, hash: string): Promise<ApiKeyWithScopes | undefined> => {
    const [row] = await read(keySql, [tenantId, hash]);
    if (row === undefined) return undefined;
    const key = recordFromRow<"apiKey">(tables.apiKey, row);
    return { ...key, tenantId, scopes: JSON.parse(String(row.scopes)) as string[] };
  };
  return async (hash) => {
    const known = owners.get(hash);
    const found = known === undefined ? undefined : await at(known, hash);
    if (found !== undefined) return found;
    const [owner] = await read(ownerSql, [hash]);
    if (owner === undefined || owner.tenant_id === known) return undefined;
    const tenantId = String(owner.tenant_id);
    owners.set(hash, tenantId);
    return at(tenantId, hash);
  };
}
