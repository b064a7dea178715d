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

/** The result of a check. */
export type DatabaseCheck = SchemaVersions & {
  /** Damage to pages, rows and the schema, and with `full` to indexes and stored JSON. At most ten lines about pages and rows. */
  readonly faults: readonly string[];
  /** The newest commit time of any tenant, in milliseconds since 1970. Undefined without a commit. */
  readonly newestAt: number | undefined;
};

/**
 * Checks a file that may be in use, without writing to it. `full` also checks indexes and the stored JSON.
 * @throws DatabaseError if the file isn't a database of this library, or is newer
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

/** Reads the schema version of a file. @throws DatabaseError if the file isn't a database of this library, or is newer */
export function readSchemaVersions({ file }: { readonly file: string }): SchemaVersions {
  const database = openReadonly(file);
  const found = schemaVersionOf(database);
  database.close();
  return { found, known: latestVersion(migrations) };
}

/** Copies an older file and then migrates it. Returns undefined if the file is current. @throws DatabaseError */
export function migrateDatabase({ file }: { readonly file: string }): MigrationResult | undefined {
  let done: MigrationResult | undefined;
  readSchemaVersions({ file });
  openExisting(file, migrations, (migrated) => {
    done = migrated;
  }).close();
  return done;
}
