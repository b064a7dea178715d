import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Storage } from "../../../lib/index.ts";
import { postgresStorage } from "../../../lib/storage/postgres/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";

/** Where one history keeps its records. */
export type Place = {
  /** As a process opens it, of which there may be several at a time. */
  open(): Promise<Storage>;
  /** Gives back what it takes, once nobody has it open. */
  remove(): Promise<void>;
};

/** A place that histories begin with, each with a copy of its own. */
export type Ground = {
  /** Whether an answer may overtake another on its way from the database. */
  readonly isRemote: boolean;
  readonly place: Place;
  /** To be asked for while nobody has the place open. */
  copy(name: string): Promise<Place>;
};

/** In this database, or in files of this folder. */
export function groundIn(folder: string, database: string | undefined): Promise<Ground> {
  return database === undefined ? Promise.resolve(inFolder(folder)) : inPostgres(database);
}

function inFolder(folder: string): Ground {
  const at = (path: string): Place => ({
    open: async () => sqliteStorage({ file: join(path, "crm.db") }),
    remove: async () => rmSync(path, { recursive: true }),
  });
  const first = join(folder, "beginning");
  mkdirSync(first);
  return {
    isRemote: false,
    place: at(first),
    async copy(name) {
      const path = join(folder, name);
      mkdirSync(path);
      copyFileSync(join(first, "crm.db"), join(path, "crm.db"));
      return at(path);
    },
  };
}

/** A schema for the beginning, and another for all histories of this process, one after the other. */
async function inPostgres(url: string): Promise<Ground> {
  const admin = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  const name = `histories_${process.pid}`;
  const at = async (schema: string): Promise<Place> => {
    await admin.query(`CREATE SCHEMA ${schema}`);
    const connectionString = `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    const open = () => postgresStorage(new pg.Pool({ connectionString, max: 4, allowExitOnIdle: true }));
    return { open, remove: async () => {} };
  };
  const first = await at(`${name}_first`);
  let place: Place | undefined;
  return {
    isRemote: true,
    place: first,
    async copy() {
      if (place === undefined) {
        place = await at(name);
        await (await place.open()).close();
      }
      const { rows } = await admin.query(`SELECT c.relname AS table, string_agg(quote_ident(a.attname), ', ') AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attgenerated = ''
        WHERE c.relnamespace = '${name}'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped GROUP BY 1`);
      const copies = rows.map(({ table, columns }) => {
        const from = `SELECT ${columns} FROM ${name}_first.${table}`;
        return `DELETE FROM ${name}.${table}; INSERT INTO ${name}.${table} (${columns}) ${from}`;
      });
      // Foreign keys are held by triggers, which are not asked here: what is copied is whole.
      await admin.query(`BEGIN; SET LOCAL session_replication_role = replica; ${copies.join("; ")}; COMMIT`);
      return place;
    },
  };
}
