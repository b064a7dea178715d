import { type Storage, systemClock, uuidV7 } from "#lib";
import { checkTenantFile, type LoadedTenant, loadTenantFile } from "#lib/tenant-file";
import { loadTenantFiles, type NamedTenantFile } from "#lib/testing";
import { permissionFindings } from "../check/data-folder.ts";
import { Failure } from "../cli/errors.ts";
import { stringSetting, type Values } from "../cli/setting.ts";
import type { OpenDatabase } from "../database/database.ts";
import { newTenantFile } from "../tenants/new-tenant.ts";
import { inspectKeys, testKeyWarning } from "../tenants/test-keys.ts";

/** Settings of the tenant that serve creates if the database has none. */
export const firstTenantSettings = {
  tenantName: stringSetting("NAME", "name of the tenant that serve creates if the database has none", {
    default: "My company",
  }),
  adminName: stringSetting("NAME", "name of the admin of that tenant", { default: "Admin" }),
  adminEmail: stringSetting("EMAIL", "email address of that admin", { default: "admin@crm.local" }),
  firstKey: stringSetting("KEY", "API key of that tenant (default: a new key, shown once)", { secret: true }),
} as const;

export type FirstTenantValues = Values<typeof firstTenantSettings>;

const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };

/**
 * Loads the tenant files of `--fixtures`.
 * @throws Failure if the database has a tenant that is in none of the files, unless `isIntoExisting`
 */
export async function loadFixtures(
  { name, exclusively }: OpenDatabase,
  storage: Storage,
  files: readonly NamedTenantFile[],
  isIntoExisting: boolean,
): Promise<readonly LoadedTenant[]> {
  if (files.length === 0) return [];
  return exclusively(async () => {
    const fixtureIds = files.map(({ content }) => tenantIdIn(content));
    const other = (await storage.listTenants()).find(({ id }) => !fixtureIds.includes(id));
    if (other === undefined || isIntoExisting) return loadTenantFiles(storage, files, tools);
    const remedy = "Choose another --data folder, or add --into-existing to load them anyway.";
    throw new Failure(`--fixtures loads test tenants, but ${name} already has the tenant ${other.name}. ${remedy}`);
  });
}

/** The tenant's ID in a tenant file that isn't validated yet. */
function tenantIdIn(content: unknown): string | undefined {
  const { tenant } = (content ?? {}) as { readonly tenant?: { readonly id?: unknown } | null };
  return typeof tenant?.id === "string" ? tenant.id.toLowerCase() : undefined;
}

/** Returns the file of the first tenant. @throws TenantFileError if a value is invalid */
export async function firstTenantFile(values: FirstTenantValues): Promise<Record<string, unknown>> {
  const { tenantName: name, adminName, adminEmail, firstKey } = values;
  const content = newTenantFile({ name, adminName, adminEmail, key: firstKey });
  await checkTenantFile(undefined, content, tools);
  return content;
}

/** Creates a tenant with an API key if the database has no tenant. Its API key is only known to the caller. */
export async function createFirstTenant(
  { exclusively }: OpenDatabase,
  storage: Storage,
  content: Record<string, unknown>,
): Promise<LoadedTenant | undefined> {
  return exclusively(async () => {
    if ((await storage.listTenants()).length > 0) return undefined;
    return loadTenantFile(storage, content, tools);
  });
}

/** Warnings and hints for the operator at startup. */
export type Notices = {
  /** One per active test key and per path that other users can access. */
  readonly warnings: readonly string[];
  readonly hasTestKeys: boolean;
  /** The command that creates an API key, if no API key of the database was ever used. */
  readonly createKey: string | undefined;
};

/** Inspects a database that is stored on disk. In memory there is nothing to warn about. */
export async function findNotices({ name, folder, flag }: OpenDatabase, storage: Storage): Promise<Notices> {
  if (name === undefined) return { warnings: [], hasTestKeys: false, createKey: undefined };
  const { testKeys, isUnused } = await inspectKeys(storage, Date.now());
  const permissions = folder === undefined ? [] : permissionFindings(folder).map(({ message }) => message);
  const tenants = isUnused ? await storage.listTenants() : [];
  const tenant = tenants.length > 1 ? " --tenant ID" : "";
  return {
    warnings: [...permissions, ...testKeys.map((key) => testKeyWarning(key, flag))],
    hasTestKeys: testKeys.length > 0,
    createKey: isUnused ? `crm-integrations key create ${flag}${tenant}` : undefined,
  };
}
