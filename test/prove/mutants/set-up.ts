// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const conflicts = "lib/endpoints/set-up-conflicts.ts";

/** Changes of the set-up that leave the tenant unusable. */
export const setUp = [
  ...faults(conflicts, "set-up-dead-ends", [
    [
      "the last admin can be removed",
      "id !== before.id)) return;",
      "id !== before.id || id === before.id)) return;",
      "set-up",
    ],
    ["a stage in use can be archived", "if (count === 0) return", "if (count >= 0) return", "set-up"],
    ["a required field can be archived", "if (ids.length === 0) return", "if (ids.length >= 0) return"],
    ["the last stage can be archived", "limit: 2 })).length > 1", "limit: 2 })).length > 0"],
    ["the key of an archived field gets another type", "each.type !== type", "each.type === key"],
    [
      "a stage that gets an opportunity before its archival commits",
      'expectNone({ kind: "opportunity", where })',
      "undefined",
      "set-up-races",
    ],
  ]),
  ...faults("lib/api/rules/opportunity-stage.ts", "opportunities-archived-stages", [
    [
      "a reopened opportunity in an archived stage",
      'return after.status === "open" && (',
      'return after.status === "" && (',
    ],
  ]),
  ...faults("lib/api/upsert.ts", "errors-tenant", [
    ["a tenant ID in a batch that isn't checked", "assertTenantIds(target, request);", ""],
  ]),
  ...faults("lib/storage/attempt.ts", "set-up-races", [
    [
      "a record is committed on former settings",
      "settingsVersion: await this.#version,",
      "settingsVersion: undefined,",
    ],
  ]),
  ...faults("lib/api/run-endpoint.ts", "long-body", [
    [
      "a retry with the version of the settings that was stale",
      "count === 0 ? request.settingsVersion : undefined",
      "request.settingsVersion",
    ],
  ]),
  ...faults("lib/storage/cached-settings.ts", "cached-settings", [
    [
      "a failed read of the settings version that is cached",
      "queueMicrotask(() => versions.delete(tenant))",
      "void version.then(() => versions.delete(tenant), () => {})",
    ],
  ]),
  ...faults("lib/storage/sqlite/transaction-runner.ts", "sqlite-storage", [
    [
      "SQLite: a settings version that isn't checked",
      "assertSettingsVersion(tenant, Number(version), conditions);",
      "",
    ],
  ]),
  ...faults("lib/storage/postgres/group-commit.ts", "postgres-groups", [
    ["PostgreSQL: a settings version that a group doesn't check", " AND l.fits", ""],
  ]),
  ...faults("lib/storage/postgres/transaction.ts", "postgres-storage", [
    [
      "PostgreSQL: a settings version that a transaction doesn't check",
      "settingsConflict(locked.tenant, settingsVersion, conditions)",
      "undefined",
    ],
  ]),
  ...faults("lib/endpoints/stage-order.ts", "stage-order", [
    ["an order of stages that leaves one out", "return [...issues, ...missing];", "return issues;"],
  ]),
];
