import type { Migration } from "../../../lib/storage/sqlite/schema.ts";

/** Invented migrations of every kind: a column, an index, changed rows, a rebuilt table. */
export const inventedSteps: readonly Omit<Migration, "version">[] = [
  {
    sql: `ALTER TABLE accounts ADD COLUMN rank INTEGER NOT NULL DEFAULT 7;
          UPDATE accounts SET rank = length(name), name = name || '!';
          CREATE INDEX accounts_by_rank ON accounts (tenant_id, rank, id);`,
  },
  {
    sql: `CREATE TABLE new_grants (tenant_id TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, note TEXT,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, archived_at INTEGER, PRIMARY KEY (tenant_id, id),
            FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)) STRICT;
          INSERT INTO new_grants SELECT tenant_id, id, user_id, 'moved', created_at, updated_at, archived_at FROM grants;
          DROP TABLE grants;
          ALTER TABLE new_grants RENAME TO grants;
          DROP INDEX contacts_by_owner;`,
  },
];
