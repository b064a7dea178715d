import { maxSortedRecords } from "../sort.ts";
import { buildListSelect } from "../sql/sorted-select.ts";
import type { Table } from "../sql/table.ts";
import { type Query, SearchOff, TooManyMatches } from "../storage.ts";
import { sqliteDialect } from "./schema.ts";
import { searchOffSql } from "./search.ts";
import type { StatementCache } from "./statement-cache.ts";

/**
 * Returns the rows of a list.
 * @throws TooManyMatches, SearchOff as `Storage.list`
 */
export function readList(reads: StatementCache, table: Table, tenant: string, query: Query): unknown[][] {
  assertSortable(reads, table, tenant, query);
  const { sql, values } = buildListSelect(sqliteDialect, table, tenant, query);
  return reads.rows(sql).all(...values);
}

/**
 * Returns the JSON of the records of a list. The table must have a column for it.
 * @throws TooManyMatches, SearchOff as `Storage.list`
 */
export function readListJson(reads: StatementCache, table: Table, tenant: string, query: Query): readonly string[] {
  assertSortable(reads, table, tenant, query);
  const { sql, values } = buildListSelect(sqliteDialect, table, tenant, query, "json");
  if (query.maxBytes !== undefined) {
    // Most pages have short records only. Reading those at once is faster than counting their bytes.
    const short = buildListSelect(sqliteDialect, table, tenant, query, "shortJson");
    const texts = reads.texts(short.sql).all(...values);
    if (!texts.includes(null)) return texts as string[];
  }
  return readUntil(reads.texts(sql).iterate(...values) as Iterable<string>, query.maxBytes);
}

/** Reads texts until they exceed `maxBytes`, and at least two if there are two. */
function readUntil(rows: Iterable<string>, maxBytes = Number.POSITIVE_INFINITY): string[] {
  const texts: string[] = [];
  let bytes = 0;
  for (const text of rows) {
    texts.push(text);
    bytes += Buffer.byteLength(text);
    if (bytes > maxBytes && texts.length > 1) break;
  }
  return texts;
}

function assertSortable(reads: StatementCache, table: Table, tenant: string, query: Query): void {
  if (query.sort === undefined && query.words === undefined) return;
  if (query.words !== undefined) assertSearchOn(reads);
  const { count } = buildListSelect(sqliteDialect, table, tenant, query);
  if (count !== undefined && Number(reads.rows(count.sql).all(...count.values)[0]?.[0]) > maxSortedRecords)
    throw new TooManyMatches();
}

/** @throws SearchOff if the file has no search index */
export function assertSearchOn(reads: StatementCache): void {
  if (reads.rows(searchOffSql).all().length > 0) throw new SearchOff();
}
