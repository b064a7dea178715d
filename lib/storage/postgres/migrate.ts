import { randomBytes } from "node:crypto";
import type { ClientBase, Pool, QueryConfig } from "pg";
import { DatabaseError } from "../database-error.ts";
import { withConnection } from "./connection.ts";
import { distributeNewTables, findLocalTables, sequentialSql } from "./distribute.ts";
import { latestVersion, type Migration, migrations } from "./migrations.ts";
import { schemaSql } from "./schema.ts";
import { toStorageUnavailable } from "./storage-errors.ts";

/** Key of the advisory lock that a schema change holds. The number is arbitrary. */
const advisoryLockKey = 0x43524d69;
/** Timeout of a migration statement, and of the wait for the migration of another server. */
const migrationTimeoutMs = 24 * 60 * 60 * 1000;

/**
 * Creates the schema, or migrates an older one, in one transaction. A crash leaves either the old version or the new
 * one. If several servers start at the same time, one of them migrates.
 * @throws DatabaseError if the schema is newer, or if commits aren't durable
 * @throws StorageUnavailable if the database can't be reached
 */
export async function migrate(pool: Pool, steps: readonly Migration[] = migrations): Promise<void> {
  try {
    await withConnection(pool, async (client) => {
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
      await withoutTimeout(client, `SELECT pg_advisory_xact_lock(${advisoryLockKey})`);
      await assertDurable(client);
      const version = (await readVersion(client)) ?? (await createSchema(client));
      if (!(version >= 1 && version <= latestVersion(steps))) throw unknownVersionError(version, latestVersion(steps));
      if (version < latestVersion(steps)) await applyMigrations(client, version, steps);
      await client.query("COMMIT");
    });
  } catch (error) {
    throw toStorageUnavailable(error);
  }
}

/** Returns the schema version of the database, undefined if there is no schema, and the version of this program. */
export async function readPostgresSchemaVersions(
  client: ClientBase,
): Promise<{ readonly found: number | undefined; readonly known: number }> {
  return { found: await readVersion(client), known: latestVersion(migrations) };
}

/** Sets the timeout of a statement to one day, because it may take longer than the timeout of the pool. */
export async function withoutTimeout(client: ClientBase, text: string, values?: unknown[]): Promise<void> {
  await client.query({ text, values, query_timeout: migrationTimeoutMs } as QueryConfig);
}

/** @throws DatabaseError if a crash of the database can lose a commit */
async function assertDurable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ synchronous_commit: string }>("SHOW synchronous_commit");
  if (rows[0]?.synchronous_commit !== "off") return;
  throw new DatabaseError("synchronous_commit is off for this user or database. Set it to on.");
}

/**
 * Returns the schema version, undefined if there is no schema, or NaN if the table `settings` belongs to another
 * program.
 */
async function readVersion(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ exists: boolean }>("SELECT to_regclass('settings') IS NOT NULL AS exists");
  if (rows[0]?.exists !== true) return undefined;
  const found = await client.query<{ value: Buffer }>("SELECT value FROM settings WHERE name = 'schema_version'");
  return Number(found.rows[0]?.value.toString() ?? Number.NaN);
}

/** Creates the schema and returns its version. */
async function createSchema(client: ClientBase): Promise<number> {
  await client.query(schemaSql);
  const insert = "INSERT INTO settings (name, value) VALUES ('cursor_secret', $1), ('schema_version', $2)";
  await client.query(insert, [randomBytes(32), Buffer.from(String(latestVersion(migrations)))]);
  return latestVersion(migrations);
}

/** Applies the migrations after `version` in the open transaction, while no server can commit. */
async function applyMigrations(client: ClientBase, version: number, steps: readonly Migration[]): Promise<void> {
  await withoutTimeout(client, "LOCK TABLE tenant_clocks IN EXCLUSIVE MODE");
  const isDistributed = (await findLocalTables(client)) !== undefined;
  if (isDistributed) await client.query(sequentialSql);
  for (const sql of steps.filter((each) => each.version > version).flatMap(({ statements }) => statements)) {
    await withoutTimeout(client, sql);
    // A foreign key of a new table to a distributed one would reject all rows until the new table is distributed too.
    if (isDistributed) await distributeNewTables(client, (await findLocalTables(client)) ?? []);
  }
  const value = Buffer.from(String(latestVersion(steps)));
  await client.query("UPDATE settings SET value = $1 WHERE name = 'schema_version'", [value]);
}

function unknownVersionError(version: number, known: number): DatabaseError {
  if (version > known)
    return new DatabaseError(
      `The database has schema version ${version}; this version of the program supports up to ${known}. Use a newer version.`,
    );
  return new DatabaseError(
    'The database contains a table "settings" of another application. Use another database or schema.',
  );
}
