import type { Client } from "pg";
import type { PostgresSchemaErrors } from "#lib/postgres";
import { queryPostgres } from "../database/postgres-database.ts";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

/** The oldest version in the tests: PostgreSQL 15. */
const minVersion = 150_000;

/** Checks a PostgreSQL database without writing to it. @throws Failure if it can't be reached */
export function checkPostgres(address: string): Promise<readonly CheckResult[]> {
  return queryPostgres(address, async (client, { readPostgresSchemaVersions, findPostgresSchemaErrors }) => {
    const { found, known } = await readPostgresSchemaVersions(client);
    const errors = found === known ? await findPostgresSchemaErrors(client) : noErrors;
    return [
      await checkVersion(client),
      checkSchema(found, known, errors),
      await checkDurability(client),
      await checkConnections(client),
      ok("backups", "use pg_dump or continuous archiving; see docs/operate/postgresql-and-redis.md"),
    ];
  });
}

async function checkVersion(client: Client): Promise<CheckResult> {
  const [version, number] = [
    await readSetting(client, "server_version"),
    Number(await readSetting(client, "server_version_num")),
  ];
  if (number >= minVersion) return ok("server", `PostgreSQL ${version}`);
  return warning("server", `PostgreSQL ${version} is not supported. Use 15 or later.`);
}

const noErrors: PostgresSchemaErrors = { foreignKeys: [], localTables: [] };

function checkSchema(
  found: number | undefined,
  known: number,
  { foreignKeys, localTables }: PostgresSchemaErrors,
): CheckResult {
  const restore = "Add them as in lib/storage/postgres/schema.sql, or restore a backup.";
  if (foreignKeys.length > 0) return failed("schema", `Missing foreign keys: ${foreignKeys.join("; ")}. ${restore}`);
  if (localTables.length > 0)
    return failed("schema", `Not distributed: ${localTables.join(", ")}. Run postgres distribute.`);
  if (found === known) return ok("schema", `${found}`);
  if (found === undefined) return failed("schema", "The database has no tables. serve and init create them.");
  if (found < known) return warning("schema", `${found}; the next start of a server migrates it to ${known}.`);
  return failed("schema", `${found} is newer than this program (${known}). Update the program.`);
}

/** Acknowledged writes must survive a crash of the database or of its machine. */
async function checkDurability(client: Client): Promise<CheckResult> {
  const off: string[] = [];
  for (const name of ["synchronous_commit", "fsync", "full_page_writes"])
    if ((await readSetting(client, name)) === "off") off.push(name);
  if (off.length === 0) return ok("durability", "commits are flushed to disk");
  return failed("durability", `${off.join(", ")} is off, so a crash can lose commits. Set it to on.`);
}

async function checkConnections(client: Client): Promise<CheckResult> {
  const max = Number(await readSetting(client, "max_connections"));
  const { rows } = await client.query<{ count: number }>("SELECT count(*)::int AS count FROM pg_stat_activity");
  const used = rows[0]?.count ?? 0;
  const text = `${used} of ${max} used`;
  if (used < max * 0.8) return ok("connections", text);
  return warning("connections", `${text}. Raise max_connections, or lower --database-connections.`);
}

async function readSetting(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [name]);
  return rows[0]?.value ?? "";
}
