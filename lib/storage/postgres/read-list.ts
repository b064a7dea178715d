import { maxSortedRecords } from "../sort.ts";
import type { ListColumns, Select } from "../sql/select.ts";
import { buildListSelect, orderByOf, sortsMatches } from "../sql/sorted-select.ts";
import type { Table } from "../sql/table.ts";
import { type Query, SearchOff, TooManyMatches } from "../storage.ts";
import { searchOffSql } from "./search.ts";
import { postgresDialect } from "./statement.ts";

type Row = Record<string, unknown>;

/** Two ways to run a statement. */
export type ListReads = {
  readonly read: (select: Select) => Promise<Row[]>;
  /** For statements with words. */
  readonly search: (select: Select) => Promise<Row[]>;
};

/**
 * Returns the rows of a list.
 * @throws TooManyMatches, SearchOff as `Storage.list`
 */
export async function readList(
  reads: ListReads,
  table: Table,
  tenant: string,
  query: Query,
  columns: ListColumns,
): Promise<Row[]> {
  const select = buildListSelect(postgresDialect, table, tenant, query, columns);
  const read = query.words === undefined ? reads.read : reads.search;
  if (query.words !== undefined) await assertSearchOn(reads);
  const [row] = select.count === undefined ? [] : await read(select.count);
  if (Number(row?.count ?? 0) > maxSortedRecords) throw new TooManyMatches();
  const { sql, values } = select;
  if (columns === "record" || query.maxBytes === undefined) return read(select);
  return read({ sql: boundedSql(sql, query), values: [...values, query.maxBytes] });
}

/** @throws SearchOff if the database has no search index */
export async function assertSearchOn(reads: ListReads): Promise<void> {
  if ((await reads.read({ sql: searchOffSql, values: [] })).length > 0) throw new SearchOff();
}

/**
 * Returns a list that ends after the record that makes its JSON exceed a number of bytes, but not before the second.
 */
function boundedSql(sql: string, query: Query): string {
  const { sort } = query;
  const isSorted = sort !== undefined || sortsMatches(query);
  const order = isSorted ? orderByOf(sort ?? { descending: false }) : "updated_at, id";
  return `
    SELECT json FROM (
      SELECT *, row_number() OVER w AS number, sum(octet_length(json)) OVER w - octet_length(json) AS before
      FROM (${sql}) listed WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
    ) counted WHERE number <= 2 OR before <= ? ORDER BY ${order}`;
}
