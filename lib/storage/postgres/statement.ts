import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";
import pg from "pg";
import type { SearchedKind } from "../../model/search-words.ts";
import { maxSortedCharacters } from "../sort.ts";
import { matchExpression } from "../sql/search.ts";
import { maxMatches } from "../sql/sorted-select.ts";
import type { Dialect } from "../sql/table.ts";

/** PostgreSQL's SQL. Its planner finds the selective condition without help. */
export const postgresDialect: Dialect = {
  name: "PostgreSQL",
  jsonList: (expression) => `coalesce(json_agg(${expression})::text, '[]')`,
  tenantOfRecord: "$1",
  orderedJoin: "JOIN",
  limitsScans: true,
  placeholder: "?",
  hiddenLimit: "(SELECT ?::bigint)",
  isAnyOf: (column) => `${column} = ANY (ARRAY(SELECT json_array_elements_text(?::json)))`,
  withoutIndex: (condition) => condition,
  lastDigits: (column) => `right(${column}, 7)`,
  // Without statistics, the planner would repeat a joined statement for each record.
  isSelected: (column, select) => `${column} = ANY (ARRAY(${select}))`,
  idsWithWords: `SELECT id FROM search_entries WHERE terms @@ ?::tsquery AND tenant_id = ? LIMIT ${maxMatches}`,
  wordValues: (tenant, kind, words) => [
    matchExpression(
      tenant,
      { words, kinds: [kind as SearchedKind] },
      { quote: "'", and: " & ", or: " | ", prefix: ":*" },
    ),
    tenant,
  ],
  nameKey: `lower(left(t.name, ${maxSortedCharacters}) COLLATE "C")`,
  sum: (column) => `sum(${column}::numeric)::text`,
  noLimit: null,
  boolean: (value) => value,
};

/** Reads BIGINT columns as numbers. They hold times in milliseconds, which a number represents exactly. */
const types = {
  getTypeParser(oid: number, format?: unknown) {
    if (oid === pg.types.builtins.INT8) return Number;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as NonNullable<QueryConfig["types"]>;

const prepared = new Map<string, { readonly name: string; readonly text: string }>();

/** Returns a query that each connection prepares once. `sql` has a `?` for each value. */
export function statement(sql: string, values: readonly unknown[]): QueryConfig {
  let found = prepared.get(sql);
  if (found === undefined) {
    const name = `crm_${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
    found = { name, text: numberPlaceholders(sql) };
    prepared.set(sql, found);
  }
  return { ...found, values: [...values], types };
}

/** Replaces each `?` by `$1`, `$2`, … The SQL must not contain a `?` with another meaning. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}
