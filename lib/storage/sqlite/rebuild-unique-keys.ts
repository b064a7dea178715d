import type { Database } from "better-sqlite3";
import { snakeCase, tables, type UniqueColumn } from "../sql/table.ts";

/** Rows per batch. Bounds the memory. */
const batchSize = 1_000;

/**
 * Normalizes the values of unique fields again, in the open transaction. A record keeps its former normalized value if
 * another one already has the new value. The older record gets it.
 */
export function rebuildUniqueKeys(database: Database): void {
  for (const { name, uniques } of Object.values(tables))
    for (const each of uniques) rebuildColumn(database, name, each);
}

function rebuildColumn(database: Database, table: string, { field, name, normalize }: UniqueColumn): void {
  const select = database
    .prepare<[number], [rowid: number, value: string, key: string]>(
      `SELECT rowid, "${snakeCase(field)}", ${name} FROM ${table} WHERE rowid > ? AND ${name} IS NOT NULL
       ORDER BY rowid LIMIT ${batchSize}`,
    )
    .raw();
  const update = database.prepare(`UPDATE OR IGNORE ${table} SET ${name} = ? WHERE rowid = ?`);
  let rows: [rowid: number, value: string, key: string][];
  let lastRowid = 0;
  do {
    rows = select.all(lastRowid);
    for (const [rowid, value, key] of rows) {
      const newKey = normalize(value);
      if (newKey !== key) update.run(newKey, rowid);
    }
    lastRowid = rows.at(-1)?.[0] ?? lastRowid;
  } while (rows.length === batchSize);
}
