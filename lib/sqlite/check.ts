import { faultsIn } from "./copy.ts";
import { refusalOf } from "./database-error.ts";
import { staleJson } from "./json-column.ts";
import { migrations, versionAfter } from "./migrations.ts";
import { openExisting } from "./open.ts";
import { openView, versionOf } from "./open-readonly.ts";
import type { Migrated } from "./options.ts";
import { schemaFaults, secretFaults } from "./schema-faults.ts";

/** The schema version that a file has, and the one that this version of the library works with. */
export type SchemaVersions = { readonly found: number; readonly known: number };

/** What can be told of a database by looking at it. */
export type Inspected = SchemaVersions & {
  /** What is wrong with its pages, rows, schema and, with `full`, indexes. Ten lines at most about pages and rows. */
  readonly faults: readonly string[];
  /** The last instant that any tenant's clock reached, in milliseconds since 1970; undefined without a tenant. */
  readonly newestAt: number | undefined;
};

/**
 * Looks through a file, whoever uses it, and changes nothing. References are always looked at, indexes and the JSON
 * beside records with `full`.
 * @throws DatabaseRefused where it is no database of ours, or a newer one
 */
export function inspectDatabase({ file, full = false }: { readonly file: string; readonly full?: boolean }): Inspected {
  const database = openView(file);
  try {
    const newest = database.prepare("SELECT max(last_at) FROM tenant_clocks").pluck().get() as number | null;
    const versions = { found: versionOf(database), known: versionAfter(migrations) };
    const isCurrent = versions.found === versions.known;
    const faults = [...faultsIn(database, full), ...(isCurrent ? schemaFaults(database) : [])];
    if (isCurrent && faults.length === 0) faults.push(...secretFaults(database), ...(full ? staleJson(database) : []));
    return { ...versions, faults, newestAt: newest ?? undefined };
  } catch (error) {
    throw refusalOf(error, file);
  } finally {
    database.close();
  }
}

/** @throws DatabaseRefused where it is no database of ours, or a newer one */
export function schemaVersions({ file }: { readonly file: string }): SchemaVersions {
  const database = openView(file);
  const found = versionOf(database);
  database.close();
  return { found, known: versionAfter(migrations) };
}

/**
 * Brings a file to the schema of this version, as opening it to serve does: copied beside itself first, then all
 * steps in one transaction. Undefined where there was nothing to do. @throws DatabaseRefused
 */
export function migrateDatabase({ file }: { readonly file: string }): Migrated | undefined {
  let done: Migrated | undefined;
  schemaVersions({ file });
  openExisting(file, migrations, (migrated) => {
    done = migrated;
  }).close();
  return done;
}
