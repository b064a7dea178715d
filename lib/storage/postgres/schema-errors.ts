import type { ClientBase } from "pg";
import { findLocalTables } from "./distribute.ts";
import { schemaSql } from "./schema.ts";

const foreignKeysSql = `SELECT format('%s (%s)', c.relname, string_agg(a.attname, ', ' ORDER BY k.position)) AS name
  FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
  CROSS JOIN LATERAL unnest(f.conkey) WITH ORDINALITY AS k (number, position)
  JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.number
  WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace AND f.convalidated
  GROUP BY f.oid, c.relname`;

/**
 * What is missing in a database: foreign keys, such as `tasks (tenant_id, assigned_to)`, and with Citus the
 * distribution of some tables.
 */
export type PostgresSchemaErrors = { readonly foreignKeys: readonly string[]; readonly localTables: readonly string[] };

/** Compares a database of the newest schema version with schema.sql. Reads only the catalog. */
export async function findPostgresSchemaErrors(client: ClientBase): Promise<PostgresSchemaErrors> {
  const { rows } = await client.query<{ name: string }>(foreignKeysSql);
  const found = new Set(rows.map(({ name }) => name));
  const foreignKeys = expectedForeignKeys().filter((name) => !found.has(name));
  return { foreignKeys, localTables: (await findLocalTables(client)) ?? [] };
}

/** Returns the tables and columns of the foreign keys in schema.sql. */
function expectedForeignKeys(): string[] {
  const statements = schemaSql.replace(/--.*$/gm, "").split(";");
  return statements.flatMap((text) => {
    const table = /CREATE (?:UNLOGGED )?TABLE (\w+)/.exec(text)?.[1];
    const keys = [...text.matchAll(/FOREIGN KEY \(([^)]+)\) REFERENCES|^ *(\w+) [^,(]*\bREFERENCES/gm)];
    return keys.map(([, columns, column]) => `${table} (${columns ?? column})`);
  });
}
