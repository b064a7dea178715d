import { latestVersion, type Migration, migrations } from "../../lib/storage/sqlite/migrations.ts";

const now = latestVersion(migrations);

/** Made up, and of every sort that a real one may be: a column, an index, changed rows, a table made anew. */
export const steps: readonly Migration[] = [
  ...migrations,
  {
    version: now + 1,
    sql: `ALTER TABLE accounts ADD COLUMN rank INTEGER NOT NULL DEFAULT 7;
          UPDATE accounts SET rank = length(name), name = name || '!';
          CREATE INDEX accounts_by_rank ON accounts (tenant_id, rank, id);`,
    changesJson: true,
  },
  {
    version: now + 2,
    sql: `CREATE TABLE new_grants (tenant_id TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, note TEXT,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, archived_at INTEGER, PRIMARY KEY (tenant_id, id),
            FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)) STRICT;
          INSERT INTO new_grants SELECT tenant_id, id, user_id, 'moved', created_at, updated_at, archived_at FROM grants;
          DROP TABLE grants;
          ALTER TABLE new_grants RENAME TO grants;
          DROP INDEX contacts_by_owner;`,
  },
];
