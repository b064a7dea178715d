import { createHash } from "node:crypto";
import Database from "better-sqlite3";

/** A database as another process sees it. */
export type Watched = {
  /** Returns a hash of all tables. It is the same if nothing was stored. */
  digest(): string;
  close(): void;
};

/**
 * Watches a file that the storage writes. Ignores `last_used_at`, the version of that row and the tenant clock, because
 * the use of an API key is recorded for rejected requests too.
 */
export function watch(file: string): Watched {
  const database = new Database(file, { readonly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  const tables = (names as string[]).filter((name) => name !== "tenant_clocks" && !name.startsWith("sqlite_"));
  const queries = tables.map((name) => {
    const columns = database.pragma(`table_info(${name})`) as { name: string }[];
    const seen = columns
      .map((column) => column.name)
      .filter((column) => name !== "api_keys" || !ignoredColumns.includes(column));
    return database
      .prepare(`SELECT ${seen.map((column) => `"${column}"`).join(", ")} FROM ${name} ORDER BY 1, 2`)
      .raw();
  });
  let version: unknown;
  let known = "";
  return {
    digest() {
      // The version changes when another connection has written. Otherwise, the tables aren't read.
      const now = database.pragma("data_version", { simple: true });
      if (now === version) return known;
      const hash = createHash("sha256");
      for (const [index, query] of queries.entries()) {
        hash.update(`\n${tables[index]}\n`);
        for (const row of query.iterate()) hash.update(JSON.stringify(row));
      }
      [version, known] = [now, hash.digest("hex")];
      return known;
    },
    close: () => void database.close(),
  };
}
const ignoredColumns: readonly string[] = ["last_used_at", "updated_at"];
