import type { ClientBase } from "pg";
import { DatabaseError } from "../database-error.ts";
import { tenantTables } from "../sql/table.ts";

/** Small tables without a tenant in their key. Every node has a copy. */
const referenceTables = ["tenants", "settings"];
/** The table that the others are colocated with. */
const firstTable = "tenant_clocks";
const otherTables = [
  ...tenantTables.filter((name) => name !== firstTable && !referenceTables.includes(name)),
  "search_entries",
  "request_log",
  "request_counts",
];
/** It leads from a key to the tenant, so each row is where its hash is. */
const keyTable = "api_key_owners";

/** The statement that distributes each table, in the order in which they run. */
const distributions: ReadonlyMap<string, string> = new Map([
  ...referenceTables.map((name) => [name, `SELECT create_reference_table('${name}')`] as const),
  [keyTable, `SELECT create_distributed_table('${keyTable}', 'hash', colocate_with => 'none')`],
  [firstTable, `SELECT create_distributed_table('${firstTable}', 'tenant_id', colocate_with => 'none')`],
  ...otherTables.map((name) => {
    const sql = `SELECT create_distributed_table('${name}', 'tenant_id', colocate_with => '${firstTable}')`;
    return [name, sql] as const;
  }),
]);

/** Without it, Citus rejects foreign keys between tables that the same transaction distributes. */
export const sequentialSql = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

/** Runs a statement for each foreign key. Citus can't distribute tables one by one while foreign keys connect them. */
const forEachForeignKey = (sql: string): string =>
  `DO $$ DECLARE fk record; BEGIN FOR fk IN SELECT * FROM foreign_keys LOOP EXECUTE ${sql}; END LOOP; END $$`;

/** The statements that distribute all tables by tenant with Citus, in one transaction. */
export const distributionSql: readonly string[] = [
  "BEGIN",
  sequentialSql,
  "CREATE TEMP TABLE foreign_keys ON COMMIT DROP AS SELECT conrelid::regclass::text AS table_name, conname AS name, " +
    "pg_get_constraintdef(oid) AS definition FROM pg_constraint " +
    "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace",
  forEachForeignKey("format('ALTER TABLE %s DROP CONSTRAINT %I', fk.table_name, fk.name)"),
  ...distributions.values(),
  forEachForeignKey("format('ALTER TABLE %s ADD CONSTRAINT %I %s', fk.table_name, fk.name, fk.definition)"),
  "COMMIT",
];

const foundSql = `SELECT to_regclass('${firstTable}') IS NOT NULL AS has_tables,
  to_regclass('pg_dist_partition') IS NOT NULL AS has_citus`;
/** Citus adds a local table with a foreign key to a reference table as well, with neither property. */
const localTablesSql = `SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS expected (name, position)
  WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_dist_partition
    WHERE logicalrelid = to_regclass(name) AND (partmethod = 'h' OR repmodel = 't'))
  ORDER BY position`;

/**
 * Returns the names of the tables that aren't distributed although others are. Undefined if none is distributed, also
 * without Citus.
 */
export async function findLocalTables(client: ClientBase): Promise<readonly string[] | undefined> {
  const { rows } = await client.query<{ has_tables: boolean; has_citus: boolean }>(foundSql);
  if (rows[0]?.has_citus !== true || !rows[0].has_tables) return undefined;
  const { rows: local } = await client.query<{ name: string }>(localTablesSql, [[...distributions.keys()]]);
  const names = local.map(({ name }) => name);
  return names.includes(firstTable) ? undefined : names;
}

/** Distributes new tables, in the open transaction of `sequentialSql`. */
export async function distributeNewTables(client: ClientBase, names: readonly string[]): Promise<void> {
  for (const [name, sql] of distributions) if (names.includes(name)) await client.query(sql);
}

/**
 * Distributes the tables by tenant with Citus, in one transaction. Returns the names of the tables that were
 * distributed: all, those that are new, or none.
 * @throws DatabaseError if there is no Citus or there are no tables
 */
export async function distributeTables(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ has_tables: boolean; has_citus: boolean }>(foundSql);
  if (rows[0]?.has_citus !== true)
    throw new DatabaseError("The Citus extension is missing. Install it and run CREATE EXTENSION citus.");
  if (!rows[0].has_tables) throw new DatabaseError("The database has no tables yet. Run init or serve first.");
  const local = await findLocalTables(client);
  if (local === undefined) {
    for (const sql of distributionSql) await client.query(sql);
    return [...distributions.keys()];
  }
  if (local.length === 0) return [];
  await client.query("BEGIN");
  await client.query(sequentialSql);
  await distributeNewTables(client, local);
  await client.query("COMMIT");
  return local;
}
