import Database from "better-sqlite3";
import { schemaSql } from "./schema.ts";

type Entry = { readonly type: string; readonly name: string; readonly table: string; readonly sql: string };

/** The length that the cursor secret has to have at least, in bytes. */
const minSecretBytes = 32;

/** The entries that schema.sql creates, by name. Loaded on first use. */
let expected: ReadonlyMap<string, Entry> | undefined;

/**
 * Returns how the schema differs from schema.sql, one phrase for each table, index or trigger. Tables of other programs
 * are ignored: Litestream has some. The database must have the newest schema version.
 */
export function schemaFaults(database: Database.Database): readonly string[] {
  expected ??= expectedEntries();
  const wanted = expected;
  const found = entriesOf(database);
  const missing = [...wanted.values()].filter(({ name }) => !found.has(name));
  const changed = [...wanted.values()].filter(({ name, sql }) => (found.get(name)?.sql ?? sql) !== sql);
  const added = [...found.values()].filter(({ name, table }) => !wanted.has(name) && wanted.has(table));
  return [
    ...missing.map(({ type, name }) => `${type} ${name} is missing`),
    ...changed.map(({ type, name }) => `${type} ${name} was changed`),
    ...added.map(({ type, name, table }) => `${type} ${name} was added to table ${table}`),
  ];
}

/** Returns a phrase if the cursor secret is missing. The database must have no schema faults. */
export function secretFaults(database: Database.Database): readonly string[] {
  const length = database.prepare("SELECT length(value) FROM settings WHERE name = 'cursor_secret'").pluck().get();
  return Number(length ?? 0) >= minSecretBytes ? [] : ["the cursor secret is missing"];
}

function expectedEntries(): ReadonlyMap<string, Entry> {
  const database = new Database(":memory:");
  try {
    database.exec(schemaSql);
    return entriesOf(database);
  } finally {
    database.close();
  }
}

/** Leaves out what SQLite creates itself, such as statistics and the indexes of primary keys. */
function entriesOf(database: Database.Database): ReadonlyMap<string, Entry> {
  const rows = database
    .prepare<[], Entry>(
      "SELECT type, name, tbl_name AS 'table', coalesce(sql, '') AS sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .all();
  return new Map(rows.map((row) => [row.name, { ...row, sql: normalized(row.sql) }]));
}

/** Removes what a migration may write differently: comments, quotes of names and white space. */
function normalized(sql: string): string {
  return sql
    .replace(/--.*$/gm, "")
    .replace(/"(\w+)"/g, "$1")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1");
}
