import type { MigrationResult } from "#lib/sqlite";

/** Says on stderr that a database was brought up to date, and where it is kept as it was. */
export function printMigration(migrated: MigrationResult): void {
  process.stderr.write(`crm-integrations: ${describeMigration(migrated)}\n`);
}

export function describeMigration({ file, from, to, backup }: MigrationResult): string {
  return `${file} was brought from schema ${from} to ${to}. As it was it is kept in ${backup}.`;
}
