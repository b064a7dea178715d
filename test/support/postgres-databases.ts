import { after } from "node:test";
import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";
import { quickSettings, startPostgres } from "./postgres-server.ts";

/** The server that `npm run test:postgres` started. Without it, this file starts one. */
const given = process.env.TEST_POSTGRES;

/** The database of this process, opened on first use. */
let opened: ReturnType<typeof open> | undefined;
let count = 0;

after(async () => {
  const database = await opened;
  await database?.admin.end();
  await database?.stop();
});

/** Creates an empty schema in the database of this process. Returns its connection string. */
export async function freshAddress(): Promise<string> {
  opened ??= open();
  const { url, admin } = await opened;
  const schema = `crm_${++count}`;
  await admin.query(`CREATE SCHEMA ${schema}`);
  return `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Opens a storage. It doesn't prevent the exit of the process. */
export function storageAt(connectionString: string, more: pg.PoolConfig = {}): Promise<Storage> {
  return postgresStorage(new pg.Pool({ connectionString, max: 4, allowExitOnIdle: true, ...more }));
}

async function open() {
  const server = given === undefined ? await startPostgres(quickSettings) : undefined;
  const base = given ?? server?.url ?? "";
  const name = `crm_${process.pid}`;
  const first = new pg.Client({ connectionString: base });
  await first.connect();
  await first.query(`CREATE DATABASE ${name}`);
  await first.end();
  const url = base.replace(/\/\w+$/, `/${name}`);
  const admin = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  admin.on("error", () => {});
  return { url, admin, stop: async () => server?.stop() };
}
