import type { ClientBase, QueryConfig } from "pg";

/** One step to this schema version from the one before it, over whatever data are there. */
export type Migration = { readonly version: number; readonly sql: string };

/**
 * Every step since version 1, in order; none is changed once it was released. New databases are made by schema.sql, which
 * a test holds to what these steps end with.
 */
export const migrations: readonly Migration[] = [
  {
    version: 2,
    sql: `
      DROP INDEX tasks_by_relation;
      CREATE INDEX tasks_by_relation
        ON tasks (tenant_id, related_to_id, archived, updated_at, id, assigned_to, status);
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
        ON tasks (tenant_id, related_to_id, assigned_to, archived, updated_at, id, status);`,
  },
];

/** The version that these steps end with, kept in `settings`. */
export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 1;
}

/** Takes all steps after this version, within the transaction that is open. */
export async function applyMigrations(client: ClientBase, version: number, steps: readonly Migration[]): Promise<void> {
  for (const step of steps.filter((each) => each.version > version)) await withoutTimeout(client, step.sql);
  const now = Buffer.from(String(latestVersion(steps)));
  await client.query("UPDATE settings SET value = $1 WHERE name = 'schema_version'", [now]);
}

/** A step over many records, or the wait for another server's, may take longer than a request is given by the pool. */
export async function withoutTimeout(client: ClientBase, text: string, values?: unknown[]): Promise<void> {
  await client.query({ text, values, query_timeout: patienceMs } as QueryConfig);
}
const patienceMs = 24 * 60 * 60 * 1000;
