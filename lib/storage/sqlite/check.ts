import { integrityErrors } from "./copy.ts";
import { toDatabaseError } from "./database-error.ts";
import { findStaleJson } from "./json-column.ts";
import { latestVersion, migrations } from "./migrations.ts";
import { openExisting } from "./open.ts";
import { openReadonly, schemaVersionOf } from "./open-readonly.ts";
import type { MigrationResult } from "./options.ts";
import { schemaFaults, secretFaults } from "./schema-faults.ts";

/** The schema version that a file has, and the one that this version of the library works with. */
export type SchemaVersions = { readonly found: number; readonly known: number };

/** What can be told of a database by looking at it. */
export type DatabaseCheck = SchemaVersions & {
  /** What is wrong with its pages, rows, schema and, with `full`, indexes. Ten lines at most about pages and rows. */
  readonly faults: readonly string[];
  /** The last instant that any tenant's clock reached, in milliseconds since 1970; undefined without a tenant. */
  readonly newestAt: number | undefined;
};

/**
 * Looks through a file, whoever uses it, and changes nothing. References are always looked at, indexes and the JSON
 * beside records with `full`.
 * @throws DatabaseError where it is no database of ours, or a newer one
 */
export function checkDatabase({
  file,
  full = false,
}: {
  readonly file: string;
  readonly full?: boolean;
}): DatabaseCheck {
  const database = openReadonly(file);
  try {
    const newest = database.prepare("SELECT max(last_at) FROM tenant_clocks").pluck().get() as number | null;
    const versions = { found: schemaVersionOf(database), known: latestVersion(migrations) };
    const isCurrent = versions.found === versions.known;
    const faults = [...integrityErrors(database, full), ...(isCurrent ? schemaFaults(database) : [])];
    if (isCurrent && faults.length === 0)
      faults.push(...secretFaults(database), ...(full ? findStaleJson(database) : []));
    return { ...versions, faults, newestAt: newest ?? undefined };
  } catch (error) {
    throw toDatabaseError(error, file);
  } finally {
    database.close();
  }
}

/** @throws DatabaseError where it is no database of ours, or a newer one */
export function schemaVersions({ file }: { readonly file: string }): SchemaVersions {
  const database = openReadonly(file);
  const found = schemaVersionOf(database);
  database.close();
  return { found, known: latestVersion(migrations) };
}

/**
 * Brings a file to the schema of this version, as opening it to serve does: copied beside itself first, then all
 * steps in one transaction. Undefined where there was nothing to do. @throws DatabaseError
 */
export function migrateDatabase({ file }: { readonly file: string }): MigrationResult | undefined {
  let done: MigrationResult | undefined;
  schemaVersions({ file });
  openExisting(file, migrations, (migrated) => {
    done = migrated;
  }).close();
  return done;
}
