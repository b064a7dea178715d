import { randomBytes } from "node:crypto";
import type { ClientBase, Pool } from "pg";
import { DatabaseError } from "../database-error.ts";
import { withConnection } from "./connection.ts";
import { applyMigrations, latestVersion, type Migration, migrations, withoutTimeout } from "./migrations.ts";
import { schemaSql } from "./schema.ts";
import { toStorageError } from "./storage-errors.ts";

/** Any number that is ours alone: who changes the schema holds the lock of this number. */
const lockNumber = 0x43524d69;

/**
 * Makes the schema where there is none and brings an older one up to date, in one transaction: a crash leaves the old
 * version or the new one, and of several servers that start at once one does it. @throws DatabaseError @throws StorageUnavailable
 */
export async function migrate(pool: Pool, steps: readonly Migration[] = migrations): Promise<void> {
  try {
    await withConnection(pool, async (client) => {
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
      await withoutTimeout(client, `SELECT pg_advisory_xact_lock(${lockNumber})`);
      await assertDurable(client);
      const version = (await versionOf(client)) ?? (await make(client));
      if (!(version >= 1 && version <= latestVersion(steps))) throw refused(version, latestVersion(steps));
      if (version < latestVersion(steps)) await applyMigrations(client, version, steps);
      await client.query("COMMIT");
    });
  } catch (error) {
    throw toStorageError(error);
  }
}

/** The version of the schema that is there, undefined where there is none, and the one that this program knows. */
export async function postgresSchemaVersions(
  client: ClientBase,
): Promise<{ readonly found: number | undefined; readonly known: number }> {
  return { found: await versionOf(client), known: latestVersion(migrations) };
}

/** What was answered must survive a crash of the database. */
async function assertDurable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ synchronous_commit: string }>("SHOW synchronous_commit");
  if (rows[0]?.synchronous_commit !== "off") return;
  throw new DatabaseError("synchronous_commit is off for this user or database. Set it to on.");
}

/** Undefined where there is no schema yet. */
async function versionOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('settings') IS NOT NULL AS there");
  if (rows[0]?.there !== true) return undefined;
  const found = await client.query<{ value: Buffer }>("SELECT value FROM settings WHERE name = 'schema_version'");
  return Number(found.rows[0]?.value.toString() ?? Number.NaN);
}

/** Answers the version that it made. */
async function make(client: ClientBase): Promise<number> {
  await client.query(schemaSql);
  const insert = "INSERT INTO settings (name, value) VALUES ('cursor_secret', $1), ('schema_version', $2)";
  await client.query(insert, [randomBytes(32), Buffer.from(String(latestVersion(migrations)))]);
  return latestVersion(migrations);
}

function refused(version: number, known: number): DatabaseError {
  const versions = `schema ${version}; this program knows ${known}`;
  if (version > known)
    return new DatabaseError(`The database was made by a newer version (${versions}). Use the newer program.`);
  return new DatabaseError('The database has a table "settings" of something else. Use another database or schema.');
}
