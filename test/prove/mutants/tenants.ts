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
const eventLog = "storage/sqlite/event-statements";
const eventTests = ["event-retention", "sqlite-storage"];
const totalTests = ["counts", "sqlite-storage"];
const clockTests = ["sqlite-storage", "webhook-worker"];
const requestTests = ["sqlite-request-log"];

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
  anyTenant(
    "the time from which events exist",
    eventLog,
    "events_from FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}",
    "max(events_from) FROM tenant_clocks WHERE ${sqliteDialect.placeholder} IS NOT NULL",
    eventTests,
  ),
  anyTenant(
    "the times of old events",
    eventLog,
    "WHERE tenant_id = ? AND id < ?",
    "WHERE ? IS NOT NULL AND id < ?",
    eventTests,
  ),
  anyTenant(
    "events_from that a sweep moves",
    eventLog,
    "events_from) WHERE tenant_id = ?",
    "events_from) WHERE ? IS NOT NULL",
    eventTests,
  ),
  anyTenant(
    "a deletion of events",
    eventLog,
    "FROM events WHERE tenant_id = ? AND id <\n",
    "FROM events WHERE ? IS NOT NULL AND id <\n",
    eventTests,
  ),
  anyTenant(
    "the time before which events are deleted",
    eventLog,
    "events_from >> 16, events_from & 65535) FROM tenant_clocks WHERE tenant_id = ?",
    "max(events_from) >> 16, max(events_from) & 65535) FROM tenant_clocks WHERE ? IS NOT NULL",
    eventTests,
  ),
  anyTenant(
    "a list of events",
    "storage/sql/select",
    "t.tenant_id = ${dialect.placeholder} AND t.id >",
    "${dialect.placeholder} IS NOT NULL AND t.id >",
    eventTests,
  ),
  anyTenant(
    "a list in another order",
    "storage/sql/sorted-select",
    "t ON t.tenant_id = ${placeholder} AND t.id",
    "t ON ${placeholder} IS NOT NULL AND t.id",
    ["order", "sqlite-storage"],
  ),
  anyTenant(
    "open totals",
    "storage/sql/totals",
    "WHERE tenant_id = ${placeholder} AND status",
    "WHERE ${placeholder} IS NOT NULL AND status",
    totalTests,
  ),
  anyTenant(
    "the clock of a webhook",
    "storage/sql/webhook-clocks",
    "c ON c.tenant_id = w.tenant_id",
    "c ON true",
    clockTests,
  ),
  anyTenant(
    "an archived tenant with webhooks",
    "storage/sql/webhook-clocks",
    "t ON t.tenant_id = w.tenant_id",
    "t ON true",
    clockTests,
  ),
  anyTenant(
    "a search of the request log",
    "storage/sql/request-log",
    "[`tenant_id = ${value(tenantId)}`]",
    "[`${value(tenantId)} IS NOT NULL`]",
    requestTests,
  ),
  anyTenant(
    "the totals of the request log",
    "storage/sql/request-log",
    "`tenant_id = ${value(tenantId)} AND at",
    "`${value(tenantId)} IS NOT NULL AND at",
    requestTests,
  ),
  anyTenant(
    "the oldest entries of the request log",
    "storage/sqlite/request-log",
    "WHERE tenant_id = ? ORDER BY at DESC",
    "WHERE ? IS NOT NULL ORDER BY at DESC",
    requestTests,
  ),
  anyTenant(
    "a removal from the request log",
    "storage/sqlite/request-log",
    "${table} WHERE tenant_id = ?",
    "${table} WHERE ? IS NOT NULL",
    requestTests,
  ),
  anyTenant("a rate by the id of a key", "http/load-limits", "`${tenantId}:${keyId", "`${keyId", [
    "rate-limit",
    ...apart,
  ]),
  anyTenant("a note of a key's use", "http/key-use-recorder", "`${key.tenantId}:${key.id}`", "key.id", [
    "maintenance",
    ...apart,
  ]),
  anyTenant("a cursor", "api/cursor", "`${tenantId}\\n${endpoint}\\n`", "`${endpoint}\\n`", [
    "lists",
    "prove/bad-input-cursors",
    ...apart,
  ]),
  fault(
    "settings that another server has changed",
    "lib/storage/cached-settings.ts",
    "if (found?.version === version) {",
    "if (found !== undefined) {",
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
