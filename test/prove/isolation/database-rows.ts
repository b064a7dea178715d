import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

type Row = Readonly<Record<string, unknown>>;

/** The rows of a tenant, or all others. */
type RowsOf = { readonly tenant: string } | { readonly allBut: string };

/** A database file that is read by another connection, without the storage. */
export type WatchedFile = {
  /** The tables whose rows belong to tenants. */
  readonly tables: readonly string[];
  /** Every column of every row of this tenant, or of everything else: the table name and the row as JSON. */
  contents(of: RowsOf): readonly string[];
  /** Returns the rows of a table. */
  rows(table: string, tenant: string): readonly Row[];
  /** Inserts a row without the storage. */
  put(table: string, row: Row): void;
  /** Sets the same cursor secret in every file. */
  fixSecret(): void;
  /** Saves the content of the file for `changes` and `restore`. */
  keep(): void;
  /** The rows that were added (`+ accounts {…}`) or removed (`- accounts {…}`) since the last `keep` or `restore`. */
  changes(of: RowsOf): readonly string[];
  restore(): void;
  /** Whether another connection has written since the last `keep` or `restore`. */
  changed(): boolean;
  close(): void;
};

/** Durability is not the subject here. A folder in memory is faster. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const folders: string[] = [];
// Not in the tests, which may end before.
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns the path of a file in a new folder. Open it with a storage before `watch`. */
export function newFile(): string {
  const folder = mkdtempSync(join(root, "crm-isolated-"));
  folders.push(folder);
  return join(folder, "crm.db");
}

export function watch(file: string): WatchedFile {
  const database = new Database(file);
  database.pragma("foreign_keys = OFF");
  database.pragma("synchronous = OFF");
  const all = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  const names = (all as string[]).filter((name) => !name.startsWith("search_index"));
  const tables = names.map((name) => tableOf(database, name));
  const search = watchSearch(database, file);
  const owned = tables.filter(({ columns }) => columns.includes("tenant_id"));
  const reads = tables.map((table) => select(database, table));
  const byTable = new Map(
    owned.map(({ name, columns }) => {
      const sql = `SELECT * FROM "${name}" WHERE tenant_id = ? ORDER BY ${quoted(columns)}`;
      return [name, database.prepare(sql)];
    }),
  );
  const copies = [...tables, ...search.tables].map((table) => copyOf(database, table));
  const written = recordWrittenTables(database, tables);
  const versions = database.prepare("PRAGMA data_version").pluck();
  const version = (): unknown => versions.get();
  let savedAt = version();
  let known: { readonly at: unknown; readonly differing: readonly Difference[] } | undefined;
  const differences = (): readonly Difference[] => {
    const at = version();
    if (known !== undefined && known.at === at) return known.differing;
    const names = written.names();
    const changed = copies.filter(({ table }) => search.tables.includes(table) || names.has(table.name));
    const all = changed.map((copy) => ({ ...copy.difference(), copy }));
    const differing = all.filter(({ added, removed }) => added.length + removed.length > 0);
    known = { at, differing };
    return differing;
  };
  return {
    tables: owned.map(({ name }) => name),
    contents: (of) => [...reads.flatMap((read) => read(of)), ...search.contents(of)],
    rows: (table, tenant) => (byTable.get(table)?.all(tenant) ?? []) as Row[],
    put(table, row) {
      const { columns } = tableOf(database, table);
      const values = columns.map((column) => row[column]);
      const marks = columns.map(() => "?").join(", ");
      database.prepare(`INSERT INTO "${table}" (${quoted(columns)}) VALUES (${marks})`).run(...values);
      known = undefined;
    },
    fixSecret: () => void database.prepare("UPDATE settings SET value = ?").run(Buffer.alloc(32, 7)),
    keep() {
      for (const copy of copies) copy.keep();
      search.keep();
      written.clear();
      savedAt = version();
      known = undefined;
    },
    changes(of) {
      const { true: ofSearch = [], false: ofTables = [] } = Object.groupBy(differences(), ({ copy }) =>
        String(search.tables.includes(copy.table)),
      );
      const lines = ofTables.flatMap(({ copy: { table }, added, removed }) => [
        ...linesOf(`- ${table.name}`, removed, of),
        ...linesOf(`+ ${table.name}`, added, of),
      ]);
      return ofSearch.length === 0 ? lines : [...lines, ...search.changes(of)];
    },
    restore() {
      const changed = differences();
      database.exec("BEGIN IMMEDIATE");
      for (const { copy, ...difference } of changed) copy.restore(difference);
      written.clear();
      database.exec("COMMIT");
      savedAt = version();
      known = undefined;
    },
    changed: () => version() !== savedAt,
    close() {
      search.close();
      database.close();
    },
  };
}

/**
 * The entries of the search index. It doesn't store the terms of an entry, but they can be read by term. SQLite caches
 * the structure of an index per connection, so another connection reads them than the one that restores them.
 */
function watchSearch(database: Database.Database, file: string) {
  const reader = new Database(file);
  reader.exec("CREATE VIRTUAL TABLE temp.search_terms USING fts5vocab('main', 'search_index', 'instance')");
  const entriesSql = `
    SELECT doc, substr(term, 1, 32) AS tenant_id, kind, id, group_concat(term, ' ' ORDER BY term) AS terms
    FROM search_terms JOIN search_index s ON s.rowid = doc GROUP BY doc, tenant_id`;
  const select = reader.prepare(`SELECT tenant_id, kind, id, terms FROM (${entriesSql}) ORDER BY tenant_id, kind, id`);
  const entries = (): Row[] =>
    (select.all() as Row[]).map((row) => ({
      ...row,
      tenant_id: String(row.tenant_id).replace(uuidDigits, "$1-$2-$3-$4-$5"),
    }));
  // The tables of the index are writable only in this mode.
  database.unsafeMode(true);
  const parts = ["config", "content", "data", "docsize", "idx"];
  let saved: readonly Row[] = [];
  return {
    /** The tables that store the index. */
    tables: parts.map((part) => tableOf(database, `search_index_${part}`)),
    contents: (of: RowsOf) => linesOf("search_index", entries(), of),
    keep() {
      saved = entries();
    },
    changes(of: RowsOf): string[] {
      const [before, now] = [linesOf("search_index", saved, of), linesOf("search_index", entries(), of)];
      return [
        ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
        ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
      ];
    },
    close: () => void reader.close(),
  };
}

const uuidDigits = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Adds triggers that record the names of written tables, so that only these are compared. */
function recordWrittenTables(database: Database.Database, tables: readonly Table[]) {
  database.exec("CREATE TABLE written_tables (name TEXT NOT NULL)");
  for (const { name } of tables)
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      database.exec(
        `CREATE TRIGGER "written_${name}_${event}" AFTER ${event} ON "${name}"
         BEGIN INSERT INTO written_tables VALUES ('${name}'); END`,
      );
  const select = database.prepare("SELECT DISTINCT name FROM written_tables").pluck();
  const remove = database.prepare("DELETE FROM written_tables");
  return { names: () => new Set(select.all()), clear: () => void remove.run() };
}

/**
 * A copy of a table, to find and to undo changes. Rows are found by their primary key, because the tables are compared
 * after every write.
 */
function copyOf(database: Database.Database, table: Table) {
  const { name, columns, key } = table;
  const [main, saved] = [`main."${name}"`, `temp."saved_${name}"`];
  const list = quoted(columns);
  database.exec(`CREATE TEMP TABLE "saved_${name}" AS SELECT ${list} FROM ${main}`);
  database.exec(`CREATE UNIQUE INDEX temp."saved_key_${name}" ON "saved_${name}" (${quoted(key)})`);
  const isSame = [
    ...key.map((each) => `b."${each}" = a."${each}"`),
    ...columns.map((each) => `b."${each}" IS a."${each}"`),
  ];
  const missingIn = (other: string, own: string) =>
    database.prepare(
      `SELECT ${list} FROM ${own} a WHERE NOT EXISTS (SELECT 1 FROM ${other} b WHERE ${isSame.join(" AND ")})`,
    );
  const [added, removed] = [missingIn(saved, main), missingIn(main, saved)];
  const countSql = `SELECT (SELECT count(*) FROM ${main}) = (SELECT count(*) FROM ${saved})`;
  const isSameCount = database.prepare(countSql).pluck();
  const isKey = key.map((each) => `"${each}" = ?`).join(" AND ");
  const remove = database.prepare(`DELETE FROM ${main} WHERE ${isKey}`);
  const insert = database.prepare(`INSERT INTO ${main} (${list}) SELECT ${list} FROM ${saved} WHERE ${isKey}`);
  const keyOf = (row: Row): unknown[] => key.map((each) => row[each]);
  return {
    table,
    difference() {
      const come = added.all() as Row[];
      // Keys are unique, so that no row is missing if there are as many rows and each is saved.
      const isComplete = come.length === 0 && isSameCount.get() === 1;
      return { added: come, removed: isComplete ? [] : (removed.all() as Row[]) };
    },
    keep() {
      database.exec(`DELETE FROM ${saved}; INSERT INTO ${saved} SELECT ${list} FROM ${main}`);
    },
    restore({ added, removed }: Pick<Difference, "added" | "removed">) {
      for (const row of added) remove.run(...keyOf(row));
      for (const row of removed) insert.run(...keyOf(row));
    },
  };
}

/** The rows of a table that were added and removed. */
type Difference = {
  readonly copy: ReturnType<typeof copyOf>;
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
};

function linesOf(name: string, rows: readonly Row[], of: RowsOf): string[] {
  const isOf = ({ tenant_id }: Row) => ("tenant" in of ? tenant_id === of.tenant : tenant_id !== of.allBut);
  return rows.filter(isOf).map((row) => `${name} ${JSON.stringify(row)}`);
}

/** Reports only the rows that differ, because the files are large. */
export function assertSameRows(got: readonly string[], expected: readonly string[], message: string): void {
  const [known, found] = [new Set(expected), new Set(got)];
  const gone = expected.filter((row) => !found.has(row));
  const come = got.filter((row) => !known.has(row));
  assert.deepEqual({ come, gone }, { come: [], gone: [] }, message);
  assert.equal(got.length, expected.length, message);
}

function select(database: Database.Database, { name, columns }: Table) {
  const statement = database.prepare(`SELECT * FROM "${name}" ORDER BY ${quoted(columns)}`);
  return (of: RowsOf): string[] => linesOf(name, statement.all() as Row[], of);
}

/** A table, the columns that are written, and those of its primary key. The other columns are computed. */
type Table = { readonly name: string; readonly columns: readonly string[]; readonly key: readonly string[] };

function tableOf(database: Database.Database, name: string): Table {
  const all = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0").all(name);
  const columns = all as { name: string; pk: number }[];
  return {
    name,
    columns: columns.map(({ name }) => name),
    key: columns.filter(({ pk }) => pk > 0).map(({ name }) => name),
  };
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}
