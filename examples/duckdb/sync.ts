import type { DuckDBConnection } from "@duckdb/node-api";
import type { CheckpointStore, Client } from "crm-integrations/client";

/** The collections that the sync copies. Each is a table with the record as JSON. */
const names = ["accounts", "contacts", "opportunities", "tasks", "notes"] as const;

/** Number of rows that a sync wrote, by table. */
export type RowCounts = Readonly<Record<(typeof names)[number], number>>;

/**
 * Copies the records that changed since the last sync into DuckDB. A crash repeats at most one page, which writes the same
 * rows again. An archived record stays, with the time in `archived_at`.
 */
export async function syncToDuckDb(crm: Client, database: DuckDBConnection): Promise<RowCounts> {
  const checkpoints = await watermarksIn(database);
  const counts = { accounts: 0, contacts: 0, opportunities: 0, tasks: 0, notes: 0 };
  for (const name of names) {
    await database.run(
      `create table if not exists ${name} (id varchar primary key, updated_at timestamptz, archived_at timestamptz, record json)`,
    );
    const write = async (records: readonly { readonly id: string }[]): Promise<void> => {
      await database.run(
        `insert or replace into ${name}
          select record->>'id', (record->>'updatedAt')::timestamptz, (record->>'archivedAt')::timestamptz, record
          from (select unnest($1::json[]) as record)`,
        [JSON.stringify(records)],
      );
      counts[name] += records.length;
    };
    await crm[name].sync({ checkpoints, onPage: write });
  }
  return counts;
}

/** Returns a store of watermarks in the same database, so that a copy of the file can continue. */
async function watermarksIn(database: DuckDBConnection): Promise<CheckpointStore> {
  await database.run("create table if not exists watermarks (name varchar primary key, watermark varchar)");
  return {
    async load(name) {
      const found = await database.runAndReadAll("select watermark from watermarks where name = $1", [name]);
      return found.getRows()[0]?.[0]?.toString();
    },
    async save(name, watermark) {
      await database.run("insert or replace into watermarks values ($1, $2)", [name, watermark]);
    },
  };
}
