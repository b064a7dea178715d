// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults, type Mutant, type Replacement, type Tests } from "./mutant.ts";

const apart = ["sqlite-storage", "prove/isolated-alone", "prove/isolated", "prove/isolated-sequences"];

/** Conditions on the tenant that statements of a file no longer have. */
function anyTenant(file: string, tests: Tests, replacements: readonly Replacement[]): Mutant[] {
  return faults(`lib/${file}.ts`, tests, replacements).map((each) => ({ ...each, name: `${each.name} of any tenant` }));
}

const clock = "last_at, settings_version FROM tenant_clocks WHERE tenant_id = ?";
const active = "storage/sqlite/active-opportunities";
const activeTests = ["active-opportunities", ...apart];
const eventLog = "storage/sqlite/event-statements";
const eventTests = ["event-retention", "sqlite-storage"];
const totalTests = ["counts", "sqlite-storage"];
const clockTests = ["sqlite-storage", "webhook-worker"];
const requestTests = "sqlite-request-log";

/** Faults that show data of one tenant to another: every condition of the SQL that prevents it. */
export const tenants = [
  ...anyTenant("storage/sql/select", apart, [
    ["a list", "`${alias}.tenant_id = ${placeholder}`", "`${placeholder} IS NOT NULL`"],
    ["a list by contact", "t ON t.tenant_id = l.tenant_id AND t.id", "t ON t.id"],
    [
      "a list of events",
      "t.tenant_id = ${dialect.placeholder} AND t.id >",
      "${dialect.placeholder} IS NOT NULL AND t.id >",
      eventTests,
    ],
  ]),
  ...anyTenant("api/run-endpoint", "idempotency-authentication", [
    ["a stored response", "recordRead?.tenantId === caller.tenantId", "recordRead !== undefined"],
  ]),
  ...anyTenant("storage/sql/table", apart, [
    ["the links of a record", "WHERE tenant_id = ${dialect.tenantOfRecord} AND ${owner}", "WHERE ${owner}"],
    ["a name taken", "WHERE tenant_id = ? AND ${scope}${name}", "WHERE ? IS NOT NULL AND ${scope}${name}"],
  ]),
  ...anyTenant("storage/sqlite/storage", apart, [
    ["a record", "t WHERE tenant_id = ? AND id = ?", "t WHERE ? IS NOT NULL AND id = ?"],
    ["the JSON of a record", "${table.name} WHERE tenant_id = ?", "${table.name} WHERE ? IS NOT NULL"],
    ["the scopes of a key", "i ON i.tenant_id = t.tenant_id AND i.id", "i ON i.id"],
    ["the life", "c ON c.tenant_id = t.tenant_id AND c.", "c ON c.", "prove/isolated-roles"],
    [
      "the settings version",
      "SELECT settings_version FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}",
      "SELECT max(settings_version) FROM tenant_clocks WHERE ${sqliteDialect.placeholder} IS NOT NULL",
    ],
  ]),
  ...anyTenant("storage/sqlite/transaction-runner", apart, [
    ["the clock", clock, "max(last_at), settings_version FROM tenant_clocks WHERE ? IS NOT NULL"],
    [
      "a change",
      "WHERE tenant_id = ? AND id = ? AND updated_at = ?`",
      "WHERE ? IS NOT NULL AND id = ? AND updated_at = ?`",
    ],
    ["links that are replaced", "WHERE tenant_id = ? AND ${owner}", "WHERE ? IS NOT NULL AND ${owner}"],
    ["an id taken", "${table.name} WHERE tenant_id = ? AND id = ?`", "${table.name} WHERE ? IS NOT NULL AND id = ?`"],
  ]),
  ...anyTenant("storage/sqlite/database-tools", "program-tenant-remove", [
    ["a removal", "WHERE tenant_id = ?", "WHERE ? IS NOT NULL"],
  ]),
  ...anyTenant(active, activeTests, [
    ["the people", "c ON c.tenant_id = ${placeholder} AND", "c ON ${placeholder} IS NOT NULL AND"],
    ["the links of a contact", "WHERE l.tenant_id = c.tenant_id AND l.contact_id", "WHERE l.contact_id"],
    ["the opportunities of a contact", "o ON o.tenant_id = l.tenant_id AND o.id", "o ON o.id"],
    ["the account's name", "accounts WHERE tenant_id = o.tenant_id AND id", "accounts WHERE id"],
    ["the pipeline's name", "pipelines WHERE tenant_id = o.tenant_id AND id", "pipelines WHERE id"],
    ["the stage's name", "stages WHERE tenant_id = o.tenant_id AND id", "stages WHERE id"],
  ]),
  ...anyTenant(eventLog, eventTests, [
    [
      "the time from which events exist",
      "events_from FROM tenant_clocks WHERE tenant_id = ${sqliteDialect.placeholder}",
      "max(events_from) FROM tenant_clocks WHERE ${sqliteDialect.placeholder} IS NOT NULL",
    ],
    ["the times of old events", "WHERE tenant_id = ? AND id < ?", "WHERE ? IS NOT NULL AND id < ?"],
    ["events_from that a sweep moves", "events_from) WHERE tenant_id = ?", "events_from) WHERE ? IS NOT NULL"],
    [
      "a deletion of events",
      "FROM events WHERE tenant_id = ? AND id <\n",
      "FROM events WHERE ? IS NOT NULL AND id <\n",
    ],
    [
      "the time before which events are deleted",
      "events_from >> 16, events_from & 65535) FROM tenant_clocks WHERE tenant_id = ?",
      "max(events_from) >> 16, max(events_from) & 65535) FROM tenant_clocks WHERE ? IS NOT NULL",
    ],
  ]),
  ...anyTenant(
    "storage/sql/sorted-select",
    ["order", "sqlite-storage"],
    [
      [
        "a list in another order",
        "t ON t.tenant_id = ${placeholder} AND t.id",
        "t ON ${placeholder} IS NOT NULL AND t.id",
      ],
    ],
  ),
  ...anyTenant("storage/sql/totals", totalTests, [
    ["open totals", "WHERE tenant_id = ${placeholder} AND status", "WHERE ${placeholder} IS NOT NULL AND status"],
  ]),
  ...anyTenant("storage/sql/webhook-clocks", clockTests, [
    ["the clock of a webhook", "c ON c.tenant_id = w.tenant_id", "c ON true"],
    ["an archived tenant with webhooks", "t ON t.tenant_id = w.tenant_id", "t ON true"],
  ]),
  ...anyTenant("storage/sql/request-log", requestTests, [
    ["a search of the request log", "[`tenant_id = ${value(tenantId)}`]", "[`${value(tenantId)} IS NOT NULL`]"],
    [
      "the totals of the request log",
      "`tenant_id = ${value(tenantId)} AND at",
      "`${value(tenantId)} IS NOT NULL AND at",
    ],
  ]),
  ...anyTenant("storage/sqlite/request-log", requestTests, [
    [
      "the oldest entries of the request log",
      "WHERE tenant_id = ? ORDER BY at DESC",
      "WHERE ? IS NOT NULL ORDER BY at DESC",
    ],
    ["a removal from the request log", "${table} WHERE tenant_id = ?", "${table} WHERE ? IS NOT NULL"],
  ]),
  ...anyTenant(
    "http/load-limits",
    ["rate-limit", ...apart],
    [["a rate by the id of a key", "`${tenantId}:${keyId", "`${keyId"]],
  ),
  ...anyTenant(
    "http/key-use-recorder",
    ["maintenance", ...apart],
    [["a note of a key's use", "`${key.tenantId}:${key.id}`", "key.id"]],
  ),
  ...anyTenant(
    "api/cursor",
    ["lists", "prove/bad-input-cursors", ...apart],
    [["a cursor", "`${tenantId}\\n${endpoint}\\n`", "`${endpoint}\\n`"]],
  ),
  ...faults("lib/storage/cached-settings.ts", "cached-settings", [
    ["settings that another server has changed", "if (found?.version === version) {", "if (found !== undefined) {"],
    [
      "an API key that another server has revoked",
      "if (found?.version === version) return found.value;",
      "if (found !== undefined) return found.value;",
      ["cached-settings", "prove/isolated-revocation"],
    ],
  ]),
  ...faults(
    "lib/storage/sqlite/transaction-runner.ts",
    ["sqlite-storage", "prove/isolated-revocation"],
    [
      [
        "a commit of settings that doesn't change their version",
        "changesSettings(writes) ? clock : 0",
        "changesSettings(writes) && clock === 0 ? clock : 0",
      ],
    ],
  ),
];
