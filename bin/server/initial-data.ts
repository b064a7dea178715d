import { type Storage, systemClock, uuidV7 } from "#lib";
import { type LoadedTenant, loadTenantFile } from "#lib/tenant-file";
import { loadTenantFiles, type NamedTenantFile } from "#lib/testing";
import { checkPermissions } from "../check/data-folder.ts";
import { type EffectiveSetting, sourceOf } from "../cli/configuration.ts";
import { Failure } from "../cli/errors.ts";
import { type SettingValues, stringSetting } from "../cli/setting.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { inspectKeys, testKeyWarning, unreadWarning } from "../tenants/inspect-keys.ts";
import { assertNewTenant, newTenantFile } from "../tenants/new-tenant.ts";

/** Email address of the admin of the tenant that the first start creates. */
const firstAdminEmail = "admin@crm.local";

/** Settings of the tenant that the first start creates. */
export const firstTenantSettings = {
  tenantName: stringSetting("NAME", "name of the tenant that the first start creates", { default: "My company" }),
  adminName: stringSetting("NAME", "name of its admin", { default: "Admin" }),
  adminEmail: stringSetting("EMAIL", "email address of its admin", { default: firstAdminEmail }),
  firstKey: stringSetting("KEY", "its API key, such as crm_live_... (default: a random key, printed once)", {
    secret: true,
  }),
} as const;

type FirstTenant = SettingValues<typeof firstTenantSettings>;

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

/** @throws Failure if the tenant of the settings would be invalid, even if the database already has one */
export async function assertFirstTenant(
  values: FirstTenant,
  origins: Readonly<Record<string, EffectiveSetting>>,
): Promise<void> {
  const source = (name: keyof FirstTenant): string => sourceOf(name, origins);
  await assertNewTenant(firstTenantFile(values), {
    tenantName: source("tenantName"),
    adminName: source("adminName"),
    adminEmail: source("adminEmail"),
    firstKey: source("firstKey"),
  });
}

function firstTenantFile({ tenantName, firstKey, ...admin }: FirstTenant): Record<string, unknown> {
  return newTenantFile({ ...admin, name: tenantName, key: firstKey });
}

/**
 * Creates a tenant with an API key if the database has no tenant. Returns it, or an empty list. A random API key is
 * only known to the caller. An API key of the settings is omitted, because the output must not contain it.
 */
export async function createFirstTenant(
  { exclusively }: OpenDatabase,
  storage: Storage,
  values: FirstTenant,
): Promise<readonly LoadedTenant[]> {
  return exclusively(async () => {
    if ((await storage.listTenants()).length > 0) return [];
    const created = await loadTenantFile(storage, firstTenantFile(values), tools);
    return [values.firstKey === undefined ? created : { ...created, keys: [] }];
  });
}

/** Warnings and hints for the operator at startup. */
export type Notices = {
  /** One per active test key, per tenant that can't be read, and per path that other users can access. */
  readonly warnings: readonly string[];
  readonly hasTestKeys: boolean;
  /** The command that creates an API key, if no API key of the database was ever used. */
  readonly createKey: string | undefined;
};

/** Inspects a database that is stored on disk. In memory there is nothing to warn about. */
export async function findNotices({ name, folder, flag }: OpenDatabase, storage: Storage): Promise<Notices> {
  if (name === undefined) return { warnings: [], hasTestKeys: false, createKey: undefined };
  const { testKeys, unread, isUnused } = await inspectKeys(storage, Date.now());
  const permissions = folder === undefined ? [] : checkPermissions(folder).map(({ message }) => message);
  const tenants = isUnused ? (await storage.listTenants()).filter(({ archivedAt }) => archivedAt === null) : [];
  const tenant = tenants.length > 1 ? " --tenant ID" : "";
  return {
    warnings: [
      ...permissions,
      ...unread.map((tenant) => unreadWarning(tenant, flag)),
      ...testKeys.map((key) => testKeyWarning(key, flag)),
    ],
    hasTestKeys: testKeys.length > 0,
    createKey: isUnused ? `crm-integrations key create ${flag}${tenant}` : undefined,
  };
}
