import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

type Row = Readonly<Record<string, unknown>>;

/** A database file that is read by a connection of its own, without the storage. */
export type WatchedFile = {
  /** The tables whose rows belong to tenants. */
  readonly tables: readonly string[];
  /** Every column of every row of this tenant, or of everything else: the table name and the row as JSON. */
  contents(of: { readonly tenant: string } | { readonly allBut: string }): readonly string[];
  /** Returns the rows of a table. */
  rows(table: string, tenant: string): readonly Row[];
  /** Inserts a row without the storage. */
  put(table: string, row: Row): void;
  /** Sets the same cursor secret in every file. */
  fixSecret(): void;
  /** Saves the content of the file for `restore`. */
  keep(): void;
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
  const tables = names.map((name) => ({ name, columns: columnsOf(database, name) }));
  const search = watchSearch(database);
  const owned = tables.filter(({ columns }) => columns.includes("tenant_id"));
  const reads = new Map(
    ["=", "<>"].map((sign) => [sign, owned.map((table) => select(database, table, `WHERE tenant_id ${sign} ?`))]),
  );
  const byTable = new Map(
    owned.map(({ name, columns }) => {
      const sql = `SELECT * FROM "${name}" WHERE tenant_id = ? ORDER BY ${quoted(columns)}`;
      return [name, database.prepare(sql)];
    }),
  );
  const shared = tables.filter((table) => !owned.includes(table)).map((table) => select(database, table, ""));
  const version = (): unknown => database.pragma("data_version", { simple: true });
  let savedAt = version();
  return {
    tables: owned.map(({ name }) => name),
    contents(of) {
      const [sign, tenant] = "tenant" in of ? ["=", of.tenant] : ["<>", of.allBut];
      const rows = (reads.get(sign) ?? []).flatMap((read) => read(tenant));
      const found = search.contents(sign, tenant);
      return "tenant" in of ? [...rows, ...found] : [...rows, ...found, ...shared.flatMap((read) => read())];
    },
    rows: (table, tenant) => (byTable.get(table)?.all(tenant) ?? []) as Row[],
    put(table, row) {
      const columns = columnsOf(database, table);
      const values = columns.map((column) => row[column]);
      const marks = columns.map(() => "?").join(", ");
      database.prepare(`INSERT INTO "${table}" (${quoted(columns)}) VALUES (${marks})`).run(...values);
    },
    fixSecret: () => void database.prepare("UPDATE settings SET value = ?").run(Buffer.alloc(32, 7)),
    keep() {
      savedAt = version();
      search.keep();
      for (const { name, columns } of tables) {
        database.exec(`DROP TABLE IF EXISTS temp."saved_${name}"`);
        database.exec(`CREATE TEMP TABLE "saved_${name}" AS SELECT ${quoted(columns)} FROM "${name}"`);
      }
    },
    restore() {
      database.exec("BEGIN IMMEDIATE");
      for (const { name, columns } of tables) {
        const list = quoted(columns);
        database.exec(
          `DELETE FROM "${name}"; INSERT INTO "${name}" (${list}) SELECT ${list} FROM temp."saved_${name}"`,
        );
      }
      search.restore();
      database.exec("COMMIT");
      savedAt = version();
    },
    changed: () => version() !== savedAt,
    close: () => void database.close(),
  };
}

/** The entries of the search index. It doesn't store the terms of an entry, but they can be read by term. */
function watchSearch(database: Database.Database) {
  database.exec("CREATE VIRTUAL TABLE temp.search_terms USING fts5vocab('main', 'search_index', 'instance')");
  const entriesSql = `
    SELECT doc, substr(term, 1, 32) AS tenant, kind, id, group_concat(term, ' ' ORDER BY term) AS terms
    FROM search_terms JOIN search_index s ON s.rowid = doc GROUP BY doc, tenant`;
  const select = (sign: string) =>
    database.prepare(`SELECT tenant, kind, id, terms FROM (${entriesSql}) WHERE tenant ${sign} ? ORDER BY kind, id`);
  return {
    contents: (sign: string, tenant: string) =>
      (select(sign).all(tenant.replaceAll("-", "")) as Row[]).map((row) => `search_index ${JSON.stringify(row)}`),
    keep: () =>
      database.exec(`DROP TABLE IF EXISTS temp.saved_search; CREATE TEMP TABLE saved_search AS ${entriesSql}`),
    restore: () =>
      database.exec(`INSERT INTO search_index (search_index) VALUES ('delete-all');
        INSERT INTO search_index (rowid, terms, kind, id) SELECT doc, terms, kind, id FROM temp.saved_search`),
  };
}

/** Reports only the rows that differ, because the files are large. */
export function assertSameRows(got: readonly string[], expected: readonly string[], message: string): void {
  const [known, found] = [new Set(expected), new Set(got)];
  const gone = expected.filter((row) => !found.has(row));
  const come = got.filter((row) => !known.has(row));
  assert.deepEqual({ come, gone }, { come: [], gone: [] }, message);
  assert.equal(got.length, expected.length, message);
}

function select(database: Database.Database, { name, columns }: { name: string; columns: string[] }, where: string) {
  const statement = database.prepare(`SELECT * FROM "${name}" ${where} ORDER BY ${quoted(columns)}`);
  return (...values: unknown[]): string[] => statement.all(...values).map((row) => `${name} ${JSON.stringify(row)}`);
}

/** The columns that are written. The others are computed. */
function columnsOf(database: Database.Database, table: string): string[] {
  const columns = database.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0").pluck().all(table);
  return columns as string[];
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}
