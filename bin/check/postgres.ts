import type { Client } from "pg";
import { onPostgres } from "../database/postgres-database.ts";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

/** The oldest that this is tried with. */
const versionMin = 150_000;

/** What a PostgreSQL database says of itself; nothing is changed. @throws Failure where it cannot be reached */
export function checkPostgres(address: string): Promise<readonly CheckResult[]> {
  return onPostgres(address, async (client, { postgresSchemaVersions }) => {
    const { found, known } = await postgresSchemaVersions(client);
    return [
      await serverFinding(client),
      schemaFinding(found, known),
      await durability(client),
      await connections(client),
      ok(
        "backups",
        "are PostgreSQL's own: pg_dump now and then, or continuous archiving; see docs/operate/postgresql-and-redis.md",
      ),
    ];
  });
}

async function serverFinding(client: Client): Promise<CheckResult> {
  const [version, number] = [await shown(client, "server_version"), Number(await shown(client, "server_version_num"))];
  if (number >= versionMin) return ok("server", `PostgreSQL ${version}`);
  return warning("server", `PostgreSQL ${version} is older than any that this was tried with. Use 15 or later.`);
}

function schemaFinding(found: number | undefined, known: number): CheckResult {
  if (found === known) return ok("schema", `${found}`);
  if (found === undefined) return failed("schema", "There are no tables here yet. serve and init make them.");
  if (found < known) return warning("schema", `${found}; the next server of this version brings it to ${known}.`);
  return failed("schema", `${found}, of a newer version; this program knows ${known}. Use the newer program.`);
}

/** What was answered must survive a crash, of the database or of its machine. */
async function durability(client: Client): Promise<CheckResult> {
  const off: string[] = [];
  for (const name of ["synchronous_commit", "fsync", "full_page_writes"])
    if ((await shown(client, name)) === "off") off.push(name);
  if (off.length === 0) return ok("durability", "what is answered is on the disk");
  return failed("durability", `${off.join(", ")} is off: what was answered can be lost. Set it to on.`);
}

async function connections(client: Client): Promise<CheckResult> {
  const most = Number(await shown(client, "max_connections"));
  const { rows } = await client.query<{ count: number }>("SELECT count(*)::int AS count FROM pg_stat_activity");
  const taken = rows[0]?.count ?? 0;
  const text = `${taken} of ${most} taken`;
  if (taken < most * 0.8) return ok("connections", text);
  return warning("connections", `${text}. Raise max_connections, or lower --database-connections of the servers.`);
}

async function shown(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [name]);
  return rows[0]?.value ?? "";
}
