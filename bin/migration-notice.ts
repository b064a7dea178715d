import type { MigrationResult } from "../lib/sqlite/index.ts";

/** Says on stderr that a database was brought up to date, and where it is kept as it was. */
export function tellMigrated(migrated: MigrationResult): void {
  process.stderr.write(`crm-integrations: ${migrationText(migrated)}\n`);
}

export function migrationText({ file, from, to, backup }: MigrationResult): string {
  return `${file} was brought from schema ${from} to ${to}. As it was it is kept in ${backup}.`;
}
