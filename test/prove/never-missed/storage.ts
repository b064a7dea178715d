import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Storage } from "../../../lib/index.ts";
import { postgresStorage } from "../../../lib/storage/postgres/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";

/** The database of one history. */
export type TestDatabase = {
  /** Opens it for one process. Several processes can have it open. */
  open(): Promise<Storage>;
  /** Deletes it. No process may have it open. */
  remove(): Promise<void>;
};

/** The database that each history starts with a copy of. */
export type TemplateDatabase = {
  readonly database: TestDatabase;
  /** Copies the database, which no process may have open. */
  copy(name: string): Promise<TestDatabase>;
};

/** Uses this PostgreSQL database, or files in this folder. */
export function openTemplate(folder: string, database: string | undefined): Promise<TemplateDatabase> {
  return database === undefined ? Promise.resolve(inFolder(folder)) : inPostgres(database);
}

function inFolder(folder: string): TemplateDatabase {
  const at = (path: string): TestDatabase => ({
    open: async () => sqliteStorage({ file: join(path, "crm.db") }),
    remove: async () => rmSync(path, { recursive: true }),
  });
  const first = join(folder, "beginning");
  mkdirSync(first);
  return {
    database: at(first),
    async copy(name) {
      const path = join(folder, name);
      mkdirSync(path);
      copyFileSync(join(first, "crm.db"), join(path, "crm.db"));
      return at(path);
    },
  };
}

/** Creates a schema for the first state, and another one that the histories of this process use in turn. */
async function inPostgres(url: string): Promise<TemplateDatabase> {
  const admin = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  const name = `histories_${process.pid}`;
  const at = async (schema: string): Promise<TestDatabase> => {
    await admin.query(`CREATE SCHEMA ${schema}`);
    const connectionString = `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    const open = () => postgresStorage(new pg.Pool({ connectionString, max: 4, allowExitOnIdle: true }));
    return { open, remove: async () => {} };
  };
  const first = await at(`${name}_first`);
  let database: TestDatabase | undefined;
  return {
    database: first,
    async copy() {
      if (database === undefined) {
        database = await at(name);
        await (await database.open()).close();
      }
      const { rows } = await admin.query(`SELECT c.relname AS table, string_agg(quote_ident(a.attname), ', ') AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attgenerated = ''
        WHERE c.relnamespace = '${name}'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped GROUP BY 1`);
      const copies = rows.map(({ table, columns }) => {
        const from = `SELECT ${columns} FROM ${name}_first.${table}`;
        return `DELETE FROM ${name}.${table}; INSERT INTO ${name}.${table} (${columns}) ${from}`;
      });
      // Skips the triggers that check foreign keys, because the copy is complete.
      await admin.query(`BEGIN; SET LOCAL session_replication_role = replica; ${copies.join("; ")}; COMMIT`);
      return database;
    },
  };
}
