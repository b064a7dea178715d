import { randomBytes } from "node:crypto";
import type { ClientBase, Pool } from "pg";
import { schemaSql } from "./schema.ts";

/** The version of schema.sql, kept in `settings`. */
const schemaVersion = 1;
/** Any number that is ours alone: who changes the schema holds the lock of this number. */
const lockNumber = 0x43524d69;

/** A database that this version cannot work with. The message is one line and names the way out. */
export class DatabaseRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseRefused";
  }
}

/** Makes the schema where there is none, in one transaction; of several servers that start at once, one makes it. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${lockNumber})`);
    await assertDurable(client);
    const version = await versionOf(client);
    if (version === 0) await make(client);
    else if (version !== schemaVersion) throw refused(version);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** What was answered must survive a crash of the database. */
async function assertDurable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ synchronous_commit: string }>("SHOW synchronous_commit");
  if (rows[0]?.synchronous_commit !== "off") return;
  throw new DatabaseRefused("synchronous_commit is off for this user or database. Set it to on.");
}

async function versionOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('settings') IS NOT NULL AS there");
  if (rows[0]?.there !== true) return 0;
  const found = await client.query<{ value: Buffer }>("SELECT value FROM settings WHERE name = 'schema_version'");
  return Number(found.rows[0]?.value.toString() ?? Number.NaN);
}

async function make(client: ClientBase): Promise<void> {
  await client.query(schemaSql);
  const insert = "INSERT INTO settings (name, value) VALUES ('cursor_secret', $1), ('schema_version', $2)";
  await client.query(insert, [randomBytes(32), Buffer.from(String(schemaVersion))]);
}

function refused(version: number): DatabaseRefused {
  const known = `schema ${version}; this program knows ${schemaVersion}`;
  if (version > schemaVersion)
    return new DatabaseRefused(`The database was made by a newer version (${known}). Use the newer program.`);
  return new DatabaseRefused(`The database has a table "settings" of something else (${known}). Use another schema.`);
}
