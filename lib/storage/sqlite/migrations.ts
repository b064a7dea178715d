import type { Database } from "better-sqlite3";
import { rebuildJson } from "./json-column.ts";

/** A step from the previous schema version to this one. */
export type Migration = {
  readonly version: number;
  readonly sql: string;
  /** The step changes the JSON of records. The JSON columns are rebuilt after it. */
  readonly changesJson?: true;
};

/** All steps since version 1, in order. Released steps never change. A test checks that they produce schema.sql. */
export const migrations: readonly Migration[] = [
  {
    version: 2,
    sql: `
      DROP INDEX tasks_by_relation;
      CREATE INDEX tasks_by_relation
        ON tasks (tenant_id, related_to_id, archived, updated_at, id, assigned_to, status);
      DROP INDEX users_by_email;
      CREATE INDEX users_archived_by_email ON users (tenant_id, email_key, updated_at, id) WHERE archived_at IS NOT NULL;
      DROP INDEX accounts_by_name;
      CREATE INDEX accounts_archived_by_name ON accounts (tenant_id, name_key, updated_at, id) WHERE archived_at IS NOT NULL;
      DROP INDEX contacts_by_email;
      CREATE INDEX contacts_archived_by_email ON contacts (tenant_id, email_key, updated_at, id) WHERE archived_at IS NOT NULL;
      DROP INDEX idempotency_records_by_update;`,
  },
  {
    version: 3,
    sql: `
      DROP INDEX tasks_by_relation;
      CREATE INDEX tasks_by_relation ON tasks (tenant_id, related_to_id, archived, updated_at, id, status);
      CREATE INDEX tasks_by_relation_and_assignee
        ON tasks (tenant_id, related_to_id, assigned_to, archived, updated_at, id, status);
      ALTER TABLE accounts ADD COLUMN json TEXT NOT NULL DEFAULT '';
      ALTER TABLE contacts ADD COLUMN json TEXT NOT NULL DEFAULT '';
      ALTER TABLE opportunities ADD COLUMN json TEXT NOT NULL DEFAULT '';
      ALTER TABLE tasks ADD COLUMN json TEXT NOT NULL DEFAULT '';`,
    changesJson: true,
  },
  {
    version: 4,
    sql: `
      ALTER TABLE users ADD COLUMN external_id TEXT;
      ALTER TABLE idempotency_records ADD COLUMN path TEXT;`,
  },
];

/** Returns the schema version after all steps. A file stores its version as `user_version`. */
export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 1;
}

/**
 * Applies all missing steps in one transaction. Foreign keys are checked at the end and not per step, because a step may
 * have to rebuild a table that others refer to.
 * @param before runs under the write lock, with the version of the file
 * @param check runs before the transaction is committed. If it throws, nothing has changed.
 */
export function migrate(
  database: Database,
  steps: readonly Migration[],
  before: (from: number) => void,
  check: () => void = () => {},
): void {
  const version = (): number => database.pragma("user_version", { simple: true }) as number;
  if (version() >= latestVersion(steps)) return;
  const takeSteps = database.transaction(() => {
    // Check again under the lock, because another process may have migrated the file.
    const done = version();
    if (done >= latestVersion(steps)) return;
    before(done);
    const due = steps.filter((each) => each.version > done);
    for (const step of due) {
      database.exec(step.sql);
      database.pragma(`user_version = ${step.version}`);
    }
    if (due.some(({ changesJson }) => changesJson)) rebuildJson(database);
    const broken = database.pragma("foreign_key_check") as readonly { readonly table: string }[];
    if (broken.length > 0) throw new Error(`a migration left broken references in ${broken[0]?.table}`);
    check();
  });
  database.pragma("foreign_keys = OFF");
  try {
    takeSteps.immediate();
  } finally {
    database.pragma("foreign_keys = ON");
  }
}
