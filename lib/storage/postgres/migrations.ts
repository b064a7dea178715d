/** SQL that migrates the schema from the version before `version`, whatever data it contains. */
export type Migration = {
  readonly version: number;
  readonly sql: string;
  /** The migration changes how values of unique fields are normalized. Their columns are rebuilt after it. */
  readonly changesUniqueKeys?: true;
  /** The migration changes the JSON of records. The JSON columns are rebuilt after it. */
  readonly changesJson?: true;
  /** The migration creates the search index. It is filled after it. */
  readonly createsSearch?: true;
};

/**
 * All migrations since version 1, in order. A released migration never changes. New databases are created from
 * schema.sql, which a test compares with the result of these migrations.
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
  {
    // A rule with stages and statuses applied at either. Now it applies if both match, so it becomes two rules. The rule
    // for the stages keeps its ID, the one for the statuses gets a random UUID.
    version: 4,
    sql: `
      INSERT INTO rules (tenant_id, id, entity, field, "when", created_at, updated_at, archived_at)
        SELECT tenant_id, gen_random_uuid()::text, entity, field, ("when"::jsonb - 'stageIds')::text,
          created_at, updated_at, archived_at
        FROM rules WHERE "when"::jsonb ? 'stageIds' AND "when"::jsonb ? 'statuses';
      UPDATE rules SET "when" = ("when"::jsonb - 'statuses')::text
        WHERE "when"::jsonb ? 'stageIds' AND "when"::jsonb ? 'statuses';
      ALTER TABLE users ADD COLUMN external_id TEXT COLLATE "C";
      ALTER TABLE idempotency_records ADD COLUMN path TEXT;`,
    changesUniqueKeys: true,
  },
  {
    version: 5,
    sql: ["accounts", "contacts", "opportunities", "tasks"]
      .map((table) => `ALTER TABLE ${table} ADD COLUMN json TEXT NOT NULL DEFAULT '';`)
      .join("\n"),
    changesJson: true,
  },
  { version: 6, sql: "ALTER TABLE tenant_clocks ADD COLUMN settings_version BIGINT NOT NULL DEFAULT 0;" },
  {
    version: 7,
    sql: `
      CREATE TABLE search_entries (
        tenant_id  TEXT COLLATE "C" NOT NULL,
        kind       TEXT COLLATE "C" NOT NULL,
        id         TEXT COLLATE "C" NOT NULL,
        terms      TSVECTOR NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (tenant_id, kind, id),
        FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id)
      );
      CREATE INDEX search_entries_by_term ON search_entries USING gin (terms) WITH (fastupdate = off);
      ALTER TABLE accounts ADD COLUMN phone_digits TEXT COLLATE "C";
      UPDATE accounts SET phone_digits = nullif(regexp_replace(phone, '[^0-9]', '', 'g'), '') WHERE phone IS NOT NULL;
      CREATE INDEX accounts_by_phone ON accounts (tenant_id, right(phone_digits, 7), archived, updated_at, id)
        WHERE phone_digits IS NOT NULL;
      ALTER TABLE contacts ADD COLUMN phone_digits TEXT COLLATE "C";
      UPDATE contacts SET phone_digits = nullif(regexp_replace(phone, '[^0-9]', '', 'g'), '') WHERE phone IS NOT NULL;
      CREATE INDEX contacts_by_phone ON contacts (tenant_id, right(phone_digits, 7), archived, updated_at, id)
        WHERE phone_digits IS NOT NULL;`,
    createsSearch: true,
  },
];

/** Returns the schema version after these migrations. */
export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 1;
}
