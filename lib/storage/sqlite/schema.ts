import Database from "better-sqlite3";
import type { Kind } from "../../model/kinds.ts";
import type { SearchedKind } from "../../model/search-words.ts";
import { maxSortedCharacters } from "../sort.ts";
import { matchExpression } from "../sql/search.ts";
import { maxMatches } from "../sql/sorted-select.ts";
import { type Dialect, hasJsonColumn, rowToJson, selectColumns, type Table, tables } from "../sql/table.ts";
import { schemaSql } from "./bundled-files.ts";

/**
 * The SQL dialect of SQLite. A `+` before a condition prevents the use of an index. `likely(?)` hides the parameter
 * from the planner. SQLite would otherwise prepare the statement again for each value.
 */
export const sqliteDialect: Dialect = {
  name: "SQLite",
  jsonList: (expression) => `json_group_array(${expression})`,
  tenantOfRecord: "t.tenant_id",
  orderedJoin: "CROSS JOIN",
  limitsScans: false,
  placeholder: "likely(?)",
  hiddenLimit: "likely(?)",
  isAnyOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  withoutIndex: (condition) => `+${condition}`,
  lastDigits: (column) => `substr(${column}, -7)`,
  isSelected: (column, select) => `${column} IN (${select})`,
  idsWithWords: `SELECT id FROM search_index WHERE search_index MATCH ? LIMIT ${maxMatches}`,
  wordValues: (tenant, kind, words) => [
    matchExpression(
      tenant,
      { words, kinds: [kind as SearchedKind] },
      { quote: '"', and: " AND ", or: " OR ", prefix: "*" },
    ),
  ],
  nameKey: `lower(substr(t.name, 1, ${maxSortedCharacters}))`,
  sum: (column) => `sum(${column})`,
  noLimit: -1,
  boolean: Number,
};

/** Calls `make` for each table. Returns the results by kind. */
export function mapTables<T>(make: (table: Table) => T): Readonly<Record<Kind, T>> {
  const entries = Object.values(tables).map((table) => [table.kind, make(table)]);
  return Object.fromEntries(entries) as Record<Kind, T>;
}

/** Returns a line for each table with rows whose JSON column doesn't match the other columns. */
export function findStaleJson(database: Database.Database): readonly string[] {
  return Object.values(tables)
    .filter(hasJsonColumn)
    .flatMap((table) => {
      const rows = database.prepare(`SELECT ${selectColumns(sqliteDialect, table)}, t.json FROM ${table.name} t`).raw();
      let stale = 0;
      for (const row of rows.iterate() as Iterable<unknown[]>) if (rowToJson(table, row) !== row.at(-1)) stale++;
      return stale === 0 ? [] : [`the JSON of ${stale} ${table.name} doesn't match their columns`];
    });
}

/** SQL that migrates the schema from the version before `version`, whatever data it contains. */
export type Migration = { readonly version: number; readonly sql: string };

/** All migrations since version 1, in order. A released migration never changes. */
export const migrations: readonly Migration[] = [];

/** Returns the schema version after these migrations. A file stores its version as `user_version`. */
export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 1;
}

/** Returns the schema version of an open database. */
export function schemaVersionOf(database: Database.Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

/**
 * Applies all missing steps in one transaction. Returns the previous schema version. Foreign keys are checked at the
 * end and not per step, because a step may rebuild a table that others reference.
 * @param before runs under the write lock, only if steps are missing
 * @param check runs before the transaction is committed. If it throws, nothing has changed.
 */
export function migrate(
  database: Database.Database,
  steps: readonly Migration[],
  before: () => void = () => {},
  check: () => void = () => {},
): number {
  const found = schemaVersionOf(database);
  if (found >= latestVersion(steps)) return found;
  const takeSteps = database.transaction(() => {
    // Check again under the lock, because another process may have migrated the file.
    const current = schemaVersionOf(database);
    if (current >= latestVersion(steps)) return current;
    before();
    for (const step of steps.filter(({ version }) => version > current)) {
      database.exec(step.sql);
      database.pragma(`user_version = ${step.version}`);
    }
    const broken = database.pragma("foreign_key_check") as readonly { readonly table: string }[];
    if (broken.length > 0) throw new Error(`a migration left broken references in ${broken[0]?.table}`);
    check();
    return current;
  });
  database.pragma("foreign_keys = OFF");
  try {
    return takeSteps.immediate();
  } finally {
    database.pragma("foreign_keys = ON");
  }
}

type Entry = { readonly type: string; readonly name: string; readonly table: string; readonly sql: string };

/** Minimum length of the cursor secret in bytes. */
const minSecretBytes = 32;

/** The entries that schema.sql creates, by name. Loaded on first use. */
let expected: ReadonlyMap<string, Entry> | undefined;

/**
 * Returns the differences from schema.sql, one phrase for each table, index or trigger. Ignores tables of other
 * programs, such as Litestream. The database must have the newest schema version.
 */
export function findSchemaErrors(database: Database.Database): readonly string[] {
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

/** Returns a phrase if the cursor secret is missing. The database must have no schema errors. */
export function findCursorSecretErrors(database: Database.Database): readonly string[] {
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

/** Returns the entries except those that SQLite creates, such as statistics and the indexes of primary keys. */
function entriesOf(database: Database.Database): ReadonlyMap<string, Entry> {
  const rows = database
    .prepare<[], Entry>(
      "SELECT type, name, tbl_name AS 'table', coalesce(sql, '') AS sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .all();
  return new Map(rows.map((row) => [row.name, { ...row, sql: normalized(row.sql) }]));
}

/** Removes insignificant differences between migrations: comments, quotes of names and white space. */
function normalized(sql: string): string {
  return sql
    .replace(/--.*$/gm, "")
    .replace(/"(\w+)"/g, "$1")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1");
}
