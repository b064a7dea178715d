// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const conflicts = "lib/endpoints/set-up-conflicts.ts";

/** Changes of the set-up that leave the tenant unusable. */
export const setUp = [
  fault(
    "the last admin can be removed",
    conflicts,
    "id !== before.id)) return;",
    "id !== before.id || id === before.id)) return;",
    ["set-up"],
  ),
  fault("a stage in use can be archived", conflicts, "if (count === 0) return", "if (count >= 0) return", ["set-up"]),
  fault(
    "a reopened opportunity in an archived stage",
    "lib/api/rules/opportunity-stage.ts",
    'return after.status === "open" && (',
    'return after.status === "" && (',
    ["opportunities-archived-stages"],
  ),
  fault("a required field can be archived", conflicts, "if (ids.length === 0) return", "if (ids.length >= 0) return", [
    "set-up-dead-ends",
  ]),
  fault("the last stage can be archived", conflicts, "limit: 2 })).length > 1", "limit: 2 })).length > 0", [
    "set-up-dead-ends",
  ]),
  fault("the key of an archived field gets another type", conflicts, "each.type !== type", "each.type === key", [
    "set-up-dead-ends",
  ]),
  fault("a tenant ID in a batch that isn't checked", "lib/api/upsert.ts", "assertTenantIds(target, request);", "", [
    "errors-tenant",
  ]),
  fault(
    "a record is committed on former settings",
    "lib/storage/attempt.ts",
    "settingsVersion: await this.#version,",
    "settingsVersion: undefined,",
    ["set-up-races"],
  ),
  fault(
    "a stage that gets an opportunity before its archival commits",
    conflicts,
    'expectNone({ kind: "opportunity", where })',
    "undefined",
    ["set-up-races"],
  ),
  fault(
    "a retry with the version of the settings that was stale",
    "lib/api/run-endpoint.ts",
    "count === 0 ? request.settingsVersion : undefined",
    "request.settingsVersion",
    ["long-body"],
  ),
  fault(
    "a failed read of the settings version that is cached",
    "lib/storage/cached-settings.ts",
    "queueMicrotask(() => versions.delete(tenant))",
    "void version.then(() => versions.delete(tenant), () => {})",
    ["cached-settings"],
  ),
  fault(
    "SQLite: a settings version that isn't checked",
    "lib/storage/sqlite/transaction-runner.ts",
    "assertSettingsVersion(tenant, Number(version), conditions);",
    "",
    ["sqlite-storage"],
  ),
  fault(
    "PostgreSQL: a settings version that a group doesn't check",
    "lib/storage/postgres/group-commit.ts",
    " AND l.fits",
    "",
    ["postgres-groups"],
  ),
  fault(
    "PostgreSQL: a settings version that a transaction doesn't check",
    "lib/storage/postgres/transaction.ts",
    "settingsConflict(locked.tenant, settingsVersion, conditions)",
    "undefined",
    ["postgres-storage"],
  ),
  fault(
    "an order of stages that leaves one out",
    "lib/endpoints/stage-order.ts",
    "return [...issues, ...missing];",
    "return issues;",
    ["stage-order"],
  ),
];
