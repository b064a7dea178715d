import { columnNames, type Table, tables, toRow } from "../sql/table.ts";
import type { Write } from "../storage.ts";
import { postgresDialect } from "./dialect.ts";

/** One step of a commit: SQL with ? for the values. */
export type WriteStatement = {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The write that fails where the step touches no row, and how. */
  readonly mustMatch?: { readonly write: Write; readonly reason: "stale" | "hash" };
};

/** The steps of a write, which run in one statement: none of them touches a row that another does. */
export function statementsFor(tenant: string, write: Write): readonly WriteStatement[] {
  const table = tables[write.kind];
  const row = toRow(postgresDialect, table, tenant, write.record);
  const own = write.op === "insert" ? insertStep(table, row) : updateStep(table, row, tenant, write);
  const key = write.kind === "apiKey" ? [ownerStep(tenant, write)] : [];
  return [own, ...key, ...table.links.flatMap((link) => linkSteps(link, tenant, write))];
}

function insertStep(table: Table, row: readonly unknown[]): WriteStatement {
  const names = columnNames(table);
  const columns = names.map((name) => `"${name}"`).join(", ");
  return {
    sql: `INSERT INTO ${table.name} (${columns}) VALUES (${names.map(() => "?").join(", ")})`,
    values: row,
  };
}

function updateStep(
  table: Table,
  row: readonly unknown[],
  tenant: string,
  write: Extract<Write, { readonly op: "update" }>,
): WriteStatement {
  // The tenant leads the key and never changes.
  const sets = columnNames(table)
    .slice(1)
    .map((name) => `"${name}" = ?`);
  const sql = `UPDATE ${table.name} SET ${sets.join(", ")} WHERE tenant_id = ? AND id = ? AND updated_at = ?`;
  return {
    sql,
    values: [...row.slice(1), tenant, write.record.id, write.expectedUpdatedAt],
    mustMatch: { write, reason: "stale" },
  };
}

/** A hash that another tenant owns stays with it, and no row is touched. */
function ownerStep(tenant: string, write: Write): WriteStatement {
  const sql = `INSERT INTO api_key_owners (hash, tenant_id) VALUES (?, ?)
    ON CONFLICT (hash) DO UPDATE SET tenant_id = api_key_owners.tenant_id
    WHERE api_key_owners.tenant_id = excluded.tenant_id`;
  const { hash } = write.record as { hash?: string };
  return { sql, values: [hash, tenant], mustMatch: { write, reason: "hash" } };
}

/** Those that the record does not hold any more go, those that it holds are there in its order. */
function linkSteps(
  { field, name, owner, target }: Table["links"][number],
  tenant: string,
  { op, record }: Write,
): WriteStatement[] {
  const ids = (record as unknown as Record<string, readonly string[]>)[field] ?? [];
  const cut = {
    sql: `DELETE FROM ${name} WHERE tenant_id = ? AND ${owner} = ? AND NOT ${target} = ANY (?::text[])`,
    values: [tenant, record.id, ids],
  };
  const columns = `tenant_id, ${owner}, ${target}, position, archived, updated_at`;
  const link = {
    sql: `INSERT INTO ${name} (${columns})
      SELECT ?, ?, target, place - 1, ?, ? FROM unnest(?::text[]) WITH ORDINALITY AS given (target, place)
      ON CONFLICT (tenant_id, ${owner}, ${target}) DO UPDATE
      SET position = excluded.position, archived = excluded.archived, updated_at = excluded.updated_at`,
    values: [tenant, record.id, record.archivedAt === null ? 0 : 1, record.updatedAt, ids],
  };
  return [...(op === "insert" ? [] : [cut]), ...(ids.length === 0 ? [] : [link])];
}
