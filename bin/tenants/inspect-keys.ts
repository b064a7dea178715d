import type { Storage } from "#lib";

/** An active API key that begins with `crm_test_`. */
export type TestKey = {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly integrationName: string;
  readonly maskedKey: string;
};

/** The active test keys of a database, and whether it has API keys of which none was ever used. */
export type KeyReport = { readonly testKeys: readonly TestKey[]; readonly isUnused: boolean };

const testPrefix = "crm_test_";
/** Tenants whose API keys are read concurrently. */
const maxConcurrent = 50;

/** Reads the API keys of all tenants that aren't archived. `now` is in milliseconds since 1970. */
export async function inspectKeys(storage: Storage, now: number): Promise<KeyReport> {
  const tenants = (await storage.listTenants()).filter(({ archivedAt }) => archivedAt === null);
  const testKeys: TestKey[] = [];
  let [count, used] = [0, 0];
  for (let start = 0; start < tenants.length; start += maxConcurrent) {
    const reads = tenants.slice(start, start + maxConcurrent).map(async ({ id, name }) => {
      const keys = await storage.list(id, "apiKey", {});
      count += keys.length;
      used += keys.filter(({ lastUsedAt }) => lastUsedAt !== null).length;
      const active = keys.filter(({ maskedKey, revokedAt, expiresAt }) => {
        return maskedKey.startsWith(testPrefix) && revokedAt === null && (expiresAt === null || expiresAt > now);
      });
      const found: TestKey[] = [];
      for (const { maskedKey, integrationId } of active) {
        const integration = await storage.get(id, "integration", integrationId);
        if (integration === undefined || integration.archivedAt !== null) continue;
        found.push({ tenantId: id, tenantName: name, integrationName: integration.name, maskedKey });
      }
      return found;
    });
    testKeys.push(...(await Promise.all(reads)).flat());
  }
  return { testKeys, isUnused: count > 0 && used === 0 };
}

/** Returns a warning that names the key and the command that revokes it. `flag` selects the database. */
export function testKeyWarning({ tenantId, tenantName, integrationName, maskedKey }: TestKey, flag: string): string {
  const revoke = `crm-integrations key revoke '${maskedKey}' ${flag} --tenant ${tenantId}`;
  const risk = "The keys of the demo and other fixtures are public, so anyone can use them.";
  return `The test key ${maskedKey} (tenant ${tenantName}, integration ${integrationName}) is active. ${risk} To revoke it: ${revoke}`;
}
