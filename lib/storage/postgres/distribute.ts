import type { ClientBase } from "pg";
import { DatabaseError } from "../database-error.ts";
import { tenantTables } from "../sql/table.ts";

/** Small tables without a tenant in their key. Every node has a copy. */
const referenceTables = ["tenants", "settings", "api_key_owners"];
/** The table that the others are colocated with. */
const firstTable = "tenant_clocks";
const distributedTables = [
  ...tenantTables.filter((name) => name !== firstTable && !referenceTables.includes(name)),
  "search_entries",
  "request_log",
  "request_counts",
];

/** Runs a statement for each foreign key. Citus can't distribute tables one by one while foreign keys connect them. */
const forEachForeignKey = (sql: string): string =>
  `DO $$ DECLARE fk record; BEGIN FOR fk IN SELECT * FROM foreign_keys LOOP EXECUTE ${sql}; END LOOP; END $$`;

/** The statements that distribute the tables by tenant with Citus, in the order in which one connection runs them. */
export const distributionSql: readonly string[] = [
  "CREATE TEMP TABLE foreign_keys AS SELECT conrelid::regclass::text AS table_name, conname AS name, " +
    "pg_get_constraintdef(oid) AS definition FROM pg_constraint " +
    "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace",
  forEachForeignKey("format('ALTER TABLE %s DROP CONSTRAINT %I', fk.table_name, fk.name)"),
  ...referenceTables.map((name) => `SELECT create_reference_table('${name}')`),
  `SELECT create_distributed_table('${firstTable}', 'tenant_id')`,
  ...distributedTables.map(
    (name) => `SELECT create_distributed_table('${name}', 'tenant_id', colocate_with => '${firstTable}')`,
  ),
  forEachForeignKey("format('ALTER TABLE %s ADD CONSTRAINT %I %s', fk.table_name, fk.name, fk.definition)"),
];

const foundSql = `SELECT to_regclass('${firstTable}') IS NOT NULL AS has_tables,
  EXISTS (SELECT FROM pg_proc WHERE proname = 'create_distributed_table') AS has_citus,
  EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace) AS has_keys`;
const distributedSql = `SELECT count(*)::int AS count FROM pg_dist_partition
  WHERE logicalrelid::text = ANY ($1)`;

type Found = { readonly has_tables: boolean; readonly has_citus: boolean; readonly has_keys: boolean };

/**
 * Distributes the tables by tenant with Citus. Returns `false` if they were distributed before.
 * @throws DatabaseError if there is no Citus or there are no tables, or after an interrupted run
 */
export async function distributeTables(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<Found>(foundSql);
  if (rows[0]?.has_citus !== true)
    throw new DatabaseError("The Citus extension is missing. Install it and run CREATE EXTENSION citus.");
  if (!rows[0].has_tables) throw new DatabaseError("The database has no tables yet. Run init or serve first.");
  const names = [firstTable, ...referenceTables, ...distributedTables];
  const { rows: counts } = await client.query<{ count: number }>(distributedSql, [names]);
  const count = counts[0]?.count ?? 0;
  if (count === names.length && rows[0].has_keys) return false;
  if (count > 0 || !rows[0].has_keys) {
    const state = `${count} of ${names.length} tables are distributed${rows[0].has_keys ? "" : ", and foreign keys are missing"}`;
    throw new DatabaseError(`An earlier run was interrupted: ${state}. Restore the backup and run the command again.`);
  }
  for (const sql of distributionSql) await client.query(sql);
  return true;
}
