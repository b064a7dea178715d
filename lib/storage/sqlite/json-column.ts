import type { Database } from "better-sqlite3";
import { entityKinds } from "../../model/entities.ts";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import { selectColumns, type Table, tables, toRecord } from "../sql/table.ts";
import { sqliteDialect } from "./dialect.ts";

/** Kinds whose lists have pages. Their rows store the JSON of the record, so that a page is read and not built. */
const kinds: ReadonlySet<Kind> = new Set(entityKinds);

/** Returns whether the table has a column `json`. */
export function hasJsonColumn({ kind }: Table): boolean {
  return kinds.has(kind);
}

/** Returns the response JSON of a row that `selectColumns` reads. Further values in the row are ignored. */
export function rowToJson(table: Table, row: readonly unknown[]): string {
  return toJsonText(models[table.kind], toRecord(table, row) as AnyRecord);
}

/** Rows per batch. Bounds the memory. */
const batchSize = 1_000;

/** Writes the JSON column of every record again, in the open transaction. */
export function rebuildJson(database: Database): void {
  for (const table of Object.values(tables).filter(hasJsonColumn)) {
    const columns = selectColumns(sqliteDialect, table);
    const select = database
      .prepare(`SELECT ${columns}, t.rowid FROM ${table.name} t WHERE t.rowid > ? ORDER BY t.rowid LIMIT ${batchSize}`)
      .raw();
    const update = database.prepare(`UPDATE ${table.name} SET json = ? WHERE rowid = ?`);
    let rows: unknown[][];
    let lastRowid = 0;
    do {
      rows = select.all(lastRowid) as unknown[][];
      for (const row of rows) update.run(rowToJson(table, row), row.at(-1));
      lastRowid = Number(rows.at(-1)?.at(-1));
    } while (rows.length === batchSize);
  }
}

/** Returns a line for each table with rows whose JSON column doesn't match the other columns. */
export function findStaleJson(database: Database): readonly string[] {
  return Object.values(tables)
    .filter(hasJsonColumn)
    .flatMap((table) => {
      const rows = database.prepare(`SELECT ${selectColumns(sqliteDialect, table)}, t.json FROM ${table.name} t`).raw();
      let stale = 0;
      for (const row of rows.iterate() as Iterable<unknown[]>) if (rowToJson(table, row) !== row.at(-1)) stale++;
      return stale === 0 ? [] : [`the JSON of ${stale} ${table.name} doesn't match their columns`];
    });
}
