import type { Database, Statement as Prepared } from "better-sqlite3";
import { type SearchedKind, searchedFields, searchedKinds } from "../../model/search-words.ts";
import { isSearched, matchExpression, maxSortedMatches, type SearchedValues, searchTerms } from "../sql/search.ts";
import { snakeCase, tables } from "../sql/table.ts";
import type { SearchHit, SearchQuery, Write } from "../storage.ts";

/** A statement with its values. */
type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** Returns the prepared statement of some SQL. */
type Prepare = (sql: string) => Prepared;

const insertSql = "INSERT INTO search_index (terms, kind, id) VALUES (?, ?, ?)";
const deleteSql = `DELETE FROM search_index WHERE rowid IN
  (SELECT rowid FROM search_index WHERE search_index MATCH ?)`;
const selectFieldsSql = Object.fromEntries(
  searchedKinds.map((kind) => [
    kind,
    `SELECT archived_at AS archivedAt, ${fieldColumns(kind)} FROM ${tables[kind].name} WHERE tenant_id = ? AND id = ?`,
  ]),
) as Record<SearchedKind, string>;

/** Selects a row if the index of a database is switched off. */
export const searchOffSql = "SELECT 1 FROM settings WHERE name = 'search_off'";

/** Returns whether the index of a database is switched on. */
export function hasSearch(database: Database): boolean {
  return database.prepare(searchOffSql).get() === undefined;
}

/** Switches the index of a database on or off. Switching it on calls `onBuild` and reads all records. */
export function switchSearch(database: Database, isOn: boolean, onBuild: () => void = () => {}): void {
  if (hasSearch(database) === isOn) return;
  const change = database.transaction(() => {
    if (hasSearch(database) === isOn) return;
    if (isOn) {
      onBuild();
      database.prepare("DELETE FROM settings WHERE name = 'search_off'").run();
      rebuildSearch(database);
    } else {
      database.prepare("INSERT INTO settings (name, value) VALUES ('search_off', x'')").run();
      database.prepare("INSERT INTO search_index (search_index) VALUES ('delete-all')").run();
    }
  });
  change.immediate();
}

/** Returns the terms of a record before a write. Empty if a search doesn't find the record. */
export function readTerms(prepare: Prepare, tenant: string, { op, kind, record }: Write): string {
  if (op === "insert" || !isSearched(kind)) return "";
  const before = prepare(selectFieldsSql[kind]).get(tenant, record.id);
  return before === undefined ? "" : termsOf(tenant, kind, before as SearchedValues);
}

/** Updates the index after a write, if the terms of the record changed. */
export function writeTerms(prepare: Prepare, tenant: string, { kind, record }: Write, before: string): void {
  if (!isSearched(kind)) return;
  const terms = termsOf(tenant, kind, record as unknown as SearchedValues);
  if (terms === before) return;
  if (before !== "") prepare(deleteSql).run(idTerm(tenant, record.id));
  if (terms !== "") prepare(insertSql).run(`${terms} ${idTerm(tenant, record.id)}`, kind, record.id);
}

/** Removes the records of a tenant from the index. */
export function removeTerms(database: Database, tenant: string): void {
  const kinds = [...searchedKinds.map((kind) => kind[0]), "i"];
  for (const kind of kinds) database.prepare(deleteSql).run(`"${tenant.replaceAll("-", "")}${kind}"*`);
}

function termsOf(tenant: string, kind: SearchedKind, record: SearchedValues): string {
  return searchTerms(tenant, kind, record).join(" ");
}

/** A term that only one record has. It finds the entry of a record in the index. */
function idTerm(tenant: string, id: string): string {
  return `${tenant}i${id}`.replaceAll("-", "");
}

/** Bounds the number of entries that are sorted, because better-sqlite3 can't interrupt a statement. */
const searchSql = `
  SELECT kind, id
  FROM (SELECT kind, id FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT ${maxSortedMatches}) found
  ORDER BY CASE kind ${searchedKinds
    .map(
      (kind) =>
        `WHEN '${kind}' THEN (SELECT updated_at FROM ${tables[kind].name} r WHERE r.tenant_id = ? AND r.id = found.id)`,
    )
    .join(" ")} END DESC, id DESC LIMIT ?`;

/** Returns the SELECT of a search for whole words or by prefix. */
export function buildSearch(tenant: string, query: SearchQuery, match: "whole" | "prefix"): Statement {
  const operators = { quote: '"', and: " AND ", or: " OR ", prefix: match === "prefix" ? "*" : "" };
  const expression = matchExpression(tenant, query, operators);
  return { sql: searchSql, values: [expression, ...searchedKinds.map(() => tenant), query.limit] };
}

export function toSearchHit([kind, id]: readonly unknown[]): SearchHit {
  return { kind: kind as SearchedKind, id: String(id) };
}

/** Rows per batch. Bounds the memory. */
const batchSize = 1_000;

/** Fills the empty index with all records, in the open transaction. */
function rebuildSearch(database: Database): void {
  for (const kind of searchedKinds) rebuildKind(database, kind);
}

function rebuildKind(database: Database, kind: SearchedKind): void {
  const select = database.prepare<[number], SearchedValues & { row: number; tenant: string; id: string }>(
    `SELECT rowid AS row, tenant_id AS tenant, id, archived_at AS archivedAt, ${fieldColumns(kind)}
     FROM ${tables[kind].name} WHERE rowid > ? AND archived_at IS NULL ORDER BY rowid LIMIT ${batchSize}`,
  );
  const insert = database.prepare(insertSql);
  let lastRow = 0;
  for (;;) {
    const rows = select.all(lastRow);
    for (const { row, tenant, id, ...record } of rows) {
      const terms = termsOf(tenant, kind, record);
      if (terms !== "") insert.run(`${terms} ${idTerm(tenant, id)}`, kind, id);
      lastRow = row;
    }
    if (rows.length < batchSize) return;
  }
}

function fieldColumns(kind: SearchedKind): string {
  const { columns } = tables[kind];
  const fields = searchedFields.filter((field) => columns.some((column) => column.field === field));
  return fields.map((field) => `"${snakeCase(field)}" AS "${field}"`).join(", ");
}
