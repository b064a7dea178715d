import type { ClientBase, Pool } from "pg";
import { type SearchedKind, searchedFields, searchedKinds } from "../../model/search-words.ts";
import { matchExpression, searchEntryOf } from "../sql/search.ts";
import { snakeCase, tables } from "../sql/table.ts";
import type { SearchHit, SearchQuery, Write } from "../storage.ts";
import type { ArrayRows } from "./array-parameters.ts";
import { withConnection } from "./connection.ts";
import { statement } from "./statement.ts";

/** PostgreSQL writes new index entries of a row only if its terms changed, because `updated_at` has no index. */
const onConflict = `ON CONFLICT (tenant_id, kind, id) DO UPDATE
  SET terms = excluded.terms, updated_at = excluded.updated_at`;
/** Selects a row if the search is switched off. */
export const searchOffSql = "SELECT 1 AS off FROM settings WHERE name = 'search_off'";
const isOn = `NOT EXISTS (${searchOffSql})`;
const upsertSql = `INSERT INTO search_entries (tenant_id, kind, id, terms, updated_at)
  SELECT ?::text, ?::text, ?::text, array_to_tsvector(?::text[]), ?::bigint WHERE ${isOn} ${onConflict}`;
const deleteSql = "DELETE FROM search_entries WHERE tenant_id = ? AND kind = ? AND id = ?";

/**
 * Returns the statements that update the search entry of a record: one, or none if a search doesn't find such records.
 */
export function searchSteps(tenant: string, write: Write): { sql: string; values: readonly unknown[] }[] {
  const entry = searchEntryOf(tenant, write);
  if (entry === undefined) return [];
  const { id, updatedAt } = write.record;
  if (entry.terms.length > 0) return [{ sql: upsertSql, values: [tenant, entry.kind, id, entry.terms, updatedAt] }];
  return write.op === "insert" ? [] : [{ sql: deleteSql, values: [tenant, entry.kind, id] }];
}

/** A CTE of a group commit, and the rows of its array parameters. */
export type GroupSearchStep = ArrayRows & { readonly name: string; readonly cte: string };

/** Returns the CTEs that update the search entries in a group commit. */
export function groupSearchSteps(
  plans: readonly { readonly tenant: string; readonly writes: readonly Write[] }[],
): readonly GroupSearchStep[] {
  const found: unknown[][] = [];
  const archived: unknown[][] = [];
  for (const { tenant, writes } of plans) {
    for (const write of writes) {
      const entry = searchEntryOf(tenant, write);
      if (entry === undefined) continue;
      const { id, updatedAt } = write.record;
      if (entry.terms.length > 0) found.push([tenant, entry.kind, id, entry.terms.join(" "), updatedAt]);
      else if (write.op === "update") archived.push([tenant, entry.kind, id]);
    }
  }
  const steps: GroupSearchStep[] = [
    {
      name: "search_written",
      cte: `search_written AS (INSERT INTO search_entries (tenant_id, kind, id, terms, updated_at)
        SELECT r."tenant_id", r.kind, r.id, array_to_tsvector(string_to_array(r.terms, ' ')), r.updated_at
        FROM moved m JOIN unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
          AS r (tenant_id, kind, id, terms, updated_at) ON r.tenant_id = m.tenant_id
        WHERE ${isOn} ${onConflict} RETURNING 1)`,
      types: ["text", "text", "text", "text", "bigint"],
      rows: found,
    },
    {
      name: "search_deleted",
      cte: `search_deleted AS (DELETE FROM search_entries t
        USING moved m JOIN unnest(?::text[], ?::text[], ?::text[]) AS r (tenant_id, kind, id) ON r.tenant_id = m.tenant_id
        WHERE t.tenant_id = r.tenant_id AND t.kind = r.kind AND t.id = r.id RETURNING 1)`,
      types: ["text", "text", "text"],
      rows: archived,
    },
  ];
  return steps.filter(({ rows }) => rows.length > 0);
}

/** Returns the SELECT of a search. */
export function buildSearch(tenant: string, query: SearchQuery): { sql: string; values: readonly unknown[] } {
  const operators = { quote: "'", and: " & ", or: " | " };
  const byPrefix = matchExpression(tenant, query, { ...operators, prefix: ":*" });
  const whole = matchExpression(tenant, query, operators);
  return {
    sql: `SELECT kind, id FROM search_entries WHERE terms @@ ?::tsquery AND tenant_id = ?
      ORDER BY terms @@ ?::tsquery DESC, updated_at DESC, id DESC LIMIT ?`,
    values: [byPrefix, tenant, whole, query.limit],
  };
}

export function toSearchHit({ kind, id }: Readonly<Record<string, unknown>>): SearchHit {
  return { kind: kind as SearchedKind, id: String(id) };
}

/**
 * Switches the search of a database on or off, for all servers. Switching it on reads all records, after a call of
 * `onBuild`. Writes wait for it.
 */
export async function switchSearch(pool: Pool, isSearched: boolean, onBuild: () => void = () => {}): Promise<void> {
  await withConnection(pool, async (client) => {
    const { rows } = await client.query(searchOffSql);
    if ((rows.length === 0) === isSearched) return;
    await client.query("BEGIN");
    try {
      await client.query(`LOCK TABLE ${searchedKinds.map((kind) => tables[kind].name).join(", ")} IN SHARE MODE`);
      await client.query("DELETE FROM settings WHERE name = 'search_off'");
      await client.query("TRUNCATE search_entries");
      if (isSearched) {
        onBuild();
        await rebuildSearch(client);
      } else await client.query("INSERT INTO settings (name, value) VALUES ('search_off', '')");
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    }
  });
}

/** Rows per batch. Bounds the memory. */
const batchSize = 1_000;

/** Fills the search entries of all records, in the open transaction. */
async function rebuildSearch(client: ClientBase): Promise<void> {
  for (const kind of searchedKinds) await rebuildKind(client, kind);
}

async function rebuildKind(client: ClientBase, kind: SearchedKind): Promise<void> {
  const { name, columns } = tables[kind];
  const fields = searchedFields.filter((field) => columns.some((column) => column.field === field));
  const select = `SELECT tenant_id, id, updated_at AS "updatedAt", NULL AS "archivedAt",
      ${fields.map((field) => `"${snakeCase(field)}" AS "${field}"`).join(", ")}
    FROM ${name} WHERE (tenant_id, id) > (?, ?) AND archived_at IS NULL ORDER BY tenant_id, id LIMIT ${batchSize}`;
  // An array of arrays would have to be rectangular.
  const insert = `INSERT INTO search_entries (tenant_id, kind, id, terms, updated_at)
    SELECT tenant_id, kind, id, array_to_tsvector(string_to_array(terms, ' ')), updated_at
    FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[]) AS x (tenant_id, kind, id, terms, updated_at)
    ${onConflict}`;
  let rows: Record<string, unknown>[];
  let last: unknown[] = ["", ""];
  do {
    rows = (await client.query(statement(select, last))).rows;
    const entries = rows.flatMap(({ tenant_id, ...record }) => {
      const entry = searchEntryOf(String(tenant_id), { kind, record } as unknown as Write);
      return entry?.terms.length ? [[tenant_id, kind, record.id, entry.terms.join(" "), record.updatedAt]] : [];
    });
    const values = [0, 1, 2, 3, 4].map((column) => entries.map((entry) => entry[column]));
    await client.query(statement(insert, values));
    last = [rows.at(-1)?.tenant_id, rows.at(-1)?.id];
  } while (rows.length === batchSize);
}
