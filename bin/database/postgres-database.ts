import type { Client, Pool } from "pg";
import type { Storage } from "#lib";
import { Failure, UsageError } from "../cli/usage.ts";
import type { OpenDatabase, Opening } from "./database.ts";

/** Connections of one server at a time where nothing else is said. */
export const connectionsDefault = 10;
/** How long a request waits for a connection before it is refused as unavailable. */
const connectionWaitMs = 5_000;
/** Longer than this no statement of ours takes: an answer that is not there by then will not come. */
const answerWaitMs = 30_000;
/** Any number that is ours alone: who does what only one server may holds the lock of this number. */
const lockNumber = 0x43524d70;

/** A PostgreSQL database by its address. @throws UsageError where it is no address @throws Failure where it cannot be used */
export async function openPostgres(
  address: string,
  { connections = connectionsDefault, onCommit }: Pick<Opening, "connections" | "onCommit">,
): Promise<OpenDatabase> {
  const { postgresStorage, assertPostgresWritable } = await loaded();
  const { pool, storage, name } = await opened(address, connections, (made) => postgresStorage(made, { onCommit }));
  const counts = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const alone: OpenDatabase["alone"] = (work) => locked(pool, work);
  const probe = () => assertPostgresWritable(pool);
  return { storage, name, folder: undefined, flag: "--database URL", isNew: false, alone, probe, pool: counts };
}

/** The same as it is at this moment, to be read only. @throws as openPostgres */
export async function openPostgresSnapshot(address: string): Promise<Storage> {
  const { postgresSnapshot } = await loaded();
  return (await opened(address, connectionsDefault, postgresSnapshot)).storage;
}

/** Removes a tenant from a PostgreSQL database. @throws as openPostgres and `removeTenant` */
export async function removePostgresTenant(
  address: string,
  tenantId: string,
  backUp: () => Promise<void>,
): Promise<void> {
  const { postgresStorage, removeTenant } = await loaded();
  const { pool, storage } = await opened(address, connectionsDefault, (made) => postgresStorage(made));
  await removeTenant(pool, tenantId, backUp).finally(() => storage.close());
}

type Library = typeof import("#lib/postgres");

/** Asks the database on one connection, without making anything there. @throws as openPostgres */
export async function onPostgres<T>(
  address: string,
  ask: (client: Client, library: Library) => Promise<T>,
): Promise<T> {
  const name = nameOf(address);
  const { pg, ...library } = await loaded();
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: connectionWaitMs });
  client.on("error", () => {});
  try {
    await client.connect();
    return await ask(client, library);
  } catch (error) {
    throw new Failure(`The database ${name} cannot be used: ${wordsOf(error)}`);
  } finally {
    await client.end();
  }
}

async function opened(address: string, connections: number, open: (pool: Pool) => Promise<Storage>) {
  const name = nameOf(address);
  const { pg } = await loaded();
  const pool = new pg.Pool({
    connectionString: address,
    max: connections,
    connectionTimeoutMillis: connectionWaitMs,
    query_timeout: answerWaitMs,
    keepAlive: true,
    application_name: "crm-integrations",
  });
  try {
    return { pool, name, storage: await open(pool) };
  } catch (error) {
    await pool.end();
    throw new Failure(`The database ${name} cannot be used: ${wordsOf(error)}`);
  }
}

/** Whoever keeps the records in a folder needs no driver of PostgreSQL. */
async function loaded() {
  try {
    const [{ default: pg }, library] = await Promise.all([import("pg"), import("#lib/postgres")]);
    return { pg, ...library };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("--database needs the package pg, which is not installed. Install it beside: npm install pg");
  }
}

/** The address without what is secret in it. @throws UsageError where it is none of PostgreSQL */
export function nameOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["postgres:", "postgresql:"].includes(url.protocol))
    throw new UsageError("--database takes an address such as postgres://crm@localhost:5432/crm.");
  return `${url.protocol}//${url.username}${url.username === "" ? "" : "@"}${url.host}${url.pathname}`;
}

/** Within one transaction, so that it holds behind a pooler too, which gives a connection only for so long. */
async function locked<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  client.on("error", () => {});
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${lockNumber})`);
    return await work();
  } finally {
    // To let go of the connection lets go of the lock.
    client.release(true);
  }
}

/** What went wrong, in one line: the driver's words, or the system's where it has none. */
function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.name !== "DatabaseError" && error.cause ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause instanceof AggregateError ? (cause.errors[0] as Error) : cause;
  const text = inner.message || String((inner as NodeJS.ErrnoException).code);
  return `${text.replace(/\s+/g, " ").replace(/\.$/, "")}.`;
}
