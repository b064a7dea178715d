import { type Storage, StorageUnavailable } from "#lib";

/** An active API key that begins with `crm_test_`. */
export type TestKey = {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly integrationName: string;
  readonly maskedKey: string;
};

/** A tenant whose API keys can't be read, such as one on a Citus worker that is down. */
export type UnreadTenant = { readonly tenantId: string; readonly tenantName: string; readonly reason: string };

export type KeyReport = {
  /** The active test keys of the tenants that can be read. */
  readonly testKeys: readonly TestKey[];
  readonly unread: readonly UnreadTenant[];
  /** `true` if all tenants can be read, and have API keys of which none was ever used. */
  readonly isUnused: boolean;
};

const testPrefix = "crm_test_";
/** Tenants whose API keys are read concurrently. */
const maxConcurrent = 50;

/** Reads the API keys of all tenants that aren't archived. `now` is in milliseconds since 1970. */
export async function inspectKeys(storage: Storage, now: number): Promise<KeyReport> {
  const tenants = (await storage.listTenants()).filter(({ archivedAt }) => archivedAt === null);
  const testKeys: TestKey[] = [];
  const unread: UnreadTenant[] = [];
  let [count, used] = [0, 0];
  const inspect = async ({ id, name }: (typeof tenants)[number]): Promise<void> => {
    const keys = await storage.list(id, "apiKey", {});
    count += keys.length;
    used += keys.filter(({ lastUsedAt }) => lastUsedAt !== null).length;
    const active = keys.filter(({ maskedKey, revokedAt, expiresAt }) => {
      return maskedKey.startsWith(testPrefix) && revokedAt === null && (expiresAt === null || expiresAt > now);
    });
    for (const { maskedKey, integrationId } of active) {
      const integration = await storage.get(id, "integration", integrationId);
      if (integration === undefined || integration.archivedAt !== null) continue;
      testKeys.push({ tenantId: id, tenantName: name, integrationName: integration.name, maskedKey });
    }
  };
  for (let start = 0; start < tenants.length; start += maxConcurrent) {
    const reads = tenants.slice(start, start + maxConcurrent).map(async (tenant) => {
      try {
        await inspect(tenant);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        unread.push({ tenantId: tenant.id, tenantName: tenant.name, reason: error.message });
      }
    });
    await Promise.all(reads);
  }
  return { testKeys, unread, isUnused: unread.length === 0 && count > 0 && used === 0 };
}

/** Returns a warning that names the key and the command that revokes it. `flag` selects the database. */
export function testKeyWarning({ tenantId, tenantName, integrationName, maskedKey }: TestKey, flag: string): string {
  const revoke = `crm-integrations key revoke '${maskedKey}' ${flag} --tenant ${tenantId}`;
  const risk = "The keys of the demo and other fixtures are public, so anyone can use them.";
  return `The test key ${maskedKey} (tenant ${tenantName}, integration ${integrationName}) is active. ${risk} To revoke it: ${revoke}`;
}

/** Returns a warning that names a tenant that can't be read. `flag` selects the database. */
export function unreadWarning({ tenantId, tenantName, reason }: UnreadTenant, flag: string): string {
  const remedy = "If its database server is down, start it. Then look for test keys with:";
  return `Can't read the API keys of tenant ${tenantName} (${tenantId}): ${reason} ${remedy} crm-integrations check ${flag}`;
}
