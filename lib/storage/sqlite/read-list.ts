import { maxSortedRecords } from "../sort.ts";
import type { ListColumns } from "../sql/select.ts";
import { buildListSelect, type ListSelect } from "../sql/sorted-select.ts";
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
  const { sql, values } = selectOf(reads, table, tenant, query, "record");
  return reads.rows(sql).all(...values);
}

/**
 * Returns the JSON of the records of a list. The table must have a column for it.
 * @throws TooManyMatches, SearchOff as `Storage.list`
 */
export function readListJson(reads: StatementCache, table: Table, tenant: string, query: Query): readonly string[] {
  if (query.maxBytes !== undefined) {
    // Most pages have short records only. Reading those at once is faster than counting their bytes.
    const short = selectOf(reads, table, tenant, query, "shortJson");
    const texts = reads.texts(short.sql).all(...short.values);
    if (!texts.includes(null)) return texts as string[];
  }
  const { sql, values } = selectOf(reads, table, tenant, query, "json");
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

/** Returns the statement of a list, after a count of the matches that it sorts. */
function selectOf(reads: StatementCache, table: Table, tenant: string, query: Query, columns: ListColumns): ListSelect {
  if (query.words !== undefined) assertSearchOn(reads);
  const select = buildListSelect(sqliteDialect, table, tenant, query, columns);
  const { count } = select;
  if (count !== undefined && Number(reads.rows(count.sql).all(...count.values)[0]?.[0]) > maxSortedRecords)
    throw new TooManyMatches();
  return select;
}

/** @throws SearchOff if the file has no search index */
export function assertSearchOn(reads: StatementCache): void {
  if (reads.rows(searchOffSql).all().length > 0) throw new SearchOff();
}
