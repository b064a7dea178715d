/**
 * Statements that migrate the schema from the version before `version`, whatever data it contains. Citus rejects
 * several statements in one text.
 */
export type Migration = { readonly version: number; readonly statements: readonly string[] };

/** All migrations since version 1, in order. A released migration never changes. */
export const migrations: readonly Migration[] = [];

/** Returns the schema version after these migrations. */
export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 1;
}

/** The schema version that this library creates. */
export const schemaVersion = latestVersion(migrations);
