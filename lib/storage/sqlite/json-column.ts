import type { Database } from "better-sqlite3";
import { entityKinds } from "../../model/entities.ts";
import type { AnyRecord, Kind } from "../../model/kinds.ts";
import { rowToJson } from "../sql/row-json.ts";
import { selectColumns, type Table, tables } from "../sql/table.ts";
import { sqliteDialect } from "./dialect.ts";

/** What is walked page by page has its JSON beside it, as answers show it: a page is read then, and not made. */
const kinds: ReadonlySet<Kind> = new Set(entityKinds);

export function hasJsonColumn({ kind }: Table): boolean {
  return kinds.has(kind);
}

/** The JSON that reading this row would give, of which `toRow` made the values. */
export function jsonFor(table: Table, row: readonly unknown[], record: AnyRecord): string {
  const links = table.links.map(({ field }) => JSON.stringify((record as unknown as Links)[field] ?? []));
  return rowToJson(table, [...row.slice(1, table.columns.length + 1), ...links]).json;
}
type Links = Readonly<Record<string, readonly string[] | undefined>>;

/** So many records at a time: the memory stays the same however many there are. */
const batch = 1_000;

/** Makes the JSON of every record anew, in the transaction that is open. */
export function rebuildJson(database: Database): void {
  for (const table of Object.values(tables).filter(hasJsonColumn)) {
    const columns = selectColumns(sqliteDialect, table);
    const rows = database.prepare(
      `SELECT ${columns}, t.rowid FROM ${table.name} t WHERE t.rowid > ? ORDER BY t.rowid LIMIT ${batch}`,
    );
    const update = database.prepare(`UPDATE ${table.name} SET json = ? WHERE rowid = ?`);
    for (let [last, more] = [0, true]; more; ) {
      const read = rows.raw().all(last) as unknown[][];
      for (const row of read) update.run(rowToJson(table, row).json, row.at(-1));
      last = Number(read.at(-1)?.at(-1) ?? last);
      more = read.length === batch;
    }
  }
}

/** A line for each table whose lists show records otherwise than they are: who changes rows by hand changes no JSON. */
export function findStaleJson(database: Database): readonly string[] {
  return Object.values(tables)
    .filter(hasJsonColumn)
    .flatMap((table) => {
      const rows = database.prepare(`SELECT ${selectColumns(sqliteDialect, table)}, t.json FROM ${table.name} t`).raw();
      let stale = 0;
      for (const row of rows.iterate() as Iterable<unknown[]>) if (rowToJson(table, row).json !== row.at(-1)) stale++;
      return stale === 0 ? [] : [`lists show ${stale} of ${table.name} otherwise than their columns do`];
    });
}
