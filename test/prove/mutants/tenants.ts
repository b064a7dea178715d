// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault, type Mutant } from "./mutant.ts";

const apart = ["sqlite-storage", "prove/isolated-alone", "prove/isolated", "prove/isolated-sequences"];

/** Where a statement asks whose a row is, it no longer does. */
function anyTenant(name: string, file: string, from: string, to: string, tests = apart): Mutant {
  return fault(`${name} of any tenant`, `lib/${file}.ts`, from, to, tests);
}

const clock = "last_at, settings_version FROM tenant_clocks WHERE tenant_id = ?";
const active = "storage/sqlite/active-opportunities";
const activeTests = ["active-opportunities", ...apart];

/** Nothing of one tenant is seen by another: every place of the SQL that says so. */
export const tenants = [
  anyTenant("a list", "storage/sql/select", "`${alias}.tenant_id = ${placeholder}`", "`${placeholder} IS NOT NULL`"),
  anyTenant("a list by contact", "storage/sql/select", "t ON t.tenant_id = l.tenant_id AND t.id", "t ON t.id"),
  anyTenant(
    "the links of a record",
    "storage/sql/table",
    "WHERE tenant_id = t.tenant_id AND ${owner}",
    "WHERE ${owner}",
  ),
  anyTenant(
    "a record",
    "storage/sqlite/storage",
    "t WHERE tenant_id = ? AND id = ?",
    "t WHERE ? IS NOT NULL AND id = ?",
  ),
  anyTenant(
    "the JSON of a record",
    "storage/sqlite/storage",
    "${table.name} WHERE tenant_id = ?",
    "${table.name} WHERE ? IS NOT NULL",
  ),
  anyTenant("the scopes of a key", "storage/sqlite/storage", "i ON i.tenant_id = t.tenant_id AND i.id", "i ON i.id"),
  anyTenant("the life", "storage/sqlite/storage", "c ON c.tenant_id = t.tenant_id AND c.", "c ON c.", [
    "prove/isolated-roles",
  ]),
  anyTenant(
    "the settings version",
    "storage/sqlite/storage",
    "SELECT settings_version FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}",
    "SELECT max(settings_version) FROM tenant_clocks WHERE ${sqliteDialect.placeholder} IS NOT NULL",
  ),
  anyTenant(
    "the clock",
    "storage/sqlite/transaction-runner",
    clock,
    "max(last_at), settings_version FROM tenant_clocks WHERE ? IS NOT NULL",
  ),
  anyTenant(
    "a change",
    "storage/sqlite/transaction-runner",
    "WHERE tenant_id = ? AND id = ? AND updated_at = ?`",
    "WHERE ? IS NOT NULL AND id = ? AND updated_at = ?`",
  ),
  anyTenant(
    "links that are replaced",
    "storage/sqlite/transaction-runner",
    "WHERE tenant_id = ? AND ${owner}",
    "WHERE ? IS NOT NULL AND ${owner}",
  ),
  anyTenant("a removal", "storage/sqlite/database-tools", "WHERE tenant_id = ?", "WHERE ? IS NOT NULL", [
    "program-tenant-remove",
  ]),
  anyTenant(
    "a name taken",
    "storage/sql/table",
    "WHERE tenant_id = ? AND ${scope}${name}",
    "WHERE ? IS NOT NULL AND ${scope}${name}",
  ),
  anyTenant(
    "an id taken",
    "storage/sqlite/transaction-runner",
    "${table.name} WHERE tenant_id = ? AND id = ?`",
    "${table.name} WHERE ? IS NOT NULL AND id = ?`",
  ),
  anyTenant(
    "the people",
    active,
    "c ON c.tenant_id = ${placeholder} AND",
    "c ON ${placeholder} IS NOT NULL AND",
    activeTests,
  ),
  anyTenant(
    "the links of a contact",
    active,
    "WHERE l.tenant_id = c.tenant_id AND l.contact_id",
    "WHERE l.contact_id",
    activeTests,
  ),
  anyTenant(
    "the opportunities of a contact",
    active,
    "o ON o.tenant_id = l.tenant_id AND o.id",
    "o ON o.id",
    activeTests,
  ),
  anyTenant(
    "the account's name",
    active,
    "accounts WHERE tenant_id = o.tenant_id AND id",
    "accounts WHERE id",
    activeTests,
  ),
  anyTenant(
    "the pipeline's name",
    active,
    "pipelines WHERE tenant_id = o.tenant_id AND id",
    "pipelines WHERE id",
    activeTests,
  ),
  anyTenant("the stage's name", active, "stages WHERE tenant_id = o.tenant_id AND id", "stages WHERE id", activeTests),
  anyTenant("a rate by the id of a key", "http/load-limits", "`${tenantId}:${keyId", "`${keyId", [
    "rate-limit",
    ...apart,
  ]),
  anyTenant("a note of a key's use", "http/create-api", "`${key.tenantId}:${key.id}`", "key.id", [
    "rate-limit",
    ...apart,
  ]),
  anyTenant("a cursor", "api/cursor", "`${tenantId}\\n${endpoint}\\n`", "`${endpoint}\\n`", [
    "lists",
    "prove/bad-input-cursors",
    ...apart,
  ]),
  fault(
    "settings that another server has changed",
    "lib/storage/attempt.ts",
    "if (found?.version === version) return found.value as T;",
    "if (found !== undefined) return found.value as T;",
    ["cached-settings"],
  ),
  fault(
    "an API key that another server has revoked",
    "lib/storage/cached-settings.ts",
    "if (found?.version === version) return found.value;",
    "if (found !== undefined) return found.value;",
    ["cached-settings", "prove/isolated-revocation"],
  ),
  fault(
    "a commit of settings that doesn't change their version",
    "lib/storage/sqlite/transaction-runner.ts",
    "changesSettings(writes) ? clock : 0",
    "changesSettings(writes) && clock === 0 ? clock : 0",
    ["sqlite-storage", "prove/isolated-revocation"],
  ),
];
