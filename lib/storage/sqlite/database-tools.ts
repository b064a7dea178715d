import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { tenantTables } from "../sql/table.ts";
import { copyTo, integrityErrors } from "./copy.ts";
import { pathExists, resolvePath } from "./file-system.ts";
import { openExisting, openReadonly } from "./open.ts";
import type { MigrationResult } from "./options.ts";
import { flushWal } from "./preflight.ts";
import {
  findCursorSecretErrors,
  findSchemaErrors,
  findStaleJson,
  latestVersion,
  migrations,
  schemaVersionOf,
} from "./schema.ts";
import { removeTerms } from "./search.ts";
import { isBusy, toDatabaseError } from "./storage-errors.ts";

/** The schema version that this library creates. */
export const schemaVersion = latestVersion(migrations);

/** The schema version of a file, and the version that this library supports. */
export type SchemaVersions = { readonly found: number; readonly known: number };

/** The result of a check. */
export type DatabaseCheck = SchemaVersions & {
  /**
   * Damage to pages, rows and the schema, and with `full` to indexes and stored JSON. At most ten lines about pages and
   * rows.
   */
  readonly errors: readonly string[];
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
    const errors = [...integrityErrors(database, full), ...(isCurrent ? findSchemaErrors(database) : [])];
    if (isCurrent && errors.length === 0)
      errors.push(...findCursorSecretErrors(database), ...(full ? findStaleJson(database) : []));
    return { ...versions, errors, newestAt: newest ?? undefined };
  } catch (error) {
    throw toDatabaseError(error, file);
  } finally {
    database.close();
  }
}

/**
 * Reads the schema version of a file.
 * @throws DatabaseError if the file isn't a database of this library, or is newer
 */
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

/**
 * Returns `true` if another process, such as a server, has the database open. A file that can't be read isn't in use.
 */
export function isDatabaseInUse({ file }: { readonly file: string }): boolean {
  const database = new Database(file, { timeout: 0, fileMustExist: true });
  try {
    flushWal(database);
    // Every open connection has a lock on the file, so that the first read in this mode fails.
    database.pragma("locking_mode = EXCLUSIVE");
    database.pragma("schema_version");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

/**
 * Copies a database that may be in use. The copy is consistent, checked and durable. A failed copy leaves nothing
 * behind. Blocks the event loop, so a server should run it in another process.
 * @throws DatabaseError if the file isn't a database of this library, the target exists or the copy is damaged
 */
export function backupDatabase({ file, target }: { readonly file: string; readonly target: string }): void {
  const database = openReadonly(file);
  try {
    copyTo(database, target);
  } finally {
    database.close();
  }
}

/** How long the removal waits for the lock of another program. */
const lockWaitMs = 5_000;

/**
 * Removes a tenant and everything that belongs to it in one transaction. A crash leaves the whole tenant or nothing of
 * it. Other programs can read during the removal, but not write.
 * @param backUp called before the removal, while no program can write. If it rejects, nothing is removed.
 * @throws DatabaseError if the file is missing or locked, or isn't a database of this version
 */
export async function removeTenant({
  file,
  tenantId,
  backUp,
}: {
  readonly file: string;
  readonly tenantId: string;
  readonly backUp: () => Promise<void>;
}): Promise<void> {
  if (!pathExists(file)) throw new DatabaseError(`No database at ${file}.`);
  const database = openExisting(resolvePath(file));
  try {
    database.pragma(`busy_timeout = ${lockWaitMs}`);
    database.exec("BEGIN IMMEDIATE");
    await backUp();
    removeTerms(database, tenantId);
    for (const name of tenantTables) database.prepare(`DELETE FROM ${name} WHERE tenant_id = ?`).run(tenantId);
    database.exec("COMMIT");
  } catch (error) {
    throw toDatabaseError(error, file);
  } finally {
    // Rolls back a transaction that is still open.
    database.close();
  }
}
