import type { Client, Pool } from "pg";
import type { Storage } from "#lib";
import type { SqliteOptions } from "#lib/sqlite";
import { Failure, UsageError } from "../cli/errors.ts";
import type { OpenDatabase, OpenOptions, OpenRequestLog } from "./open-database.ts";

/** Pool size of a server. */
export const defaultConnections = 10;
/** Time that a request waits for a connection. */
const connectionTimeoutMs = 5_000;
/** Time limit of a query. No query of the storage takes this long on a working connection. */
const queryTimeoutMs = 30_000;
/** Key of the advisory lock for work that only one server may run. */
const advisoryLockKey = 0x43524d70;
const dayMs = 86_400_000;

type PostgresOpenOptions = Pick<OpenOptions, "onCommit" | "search"> &
  Pick<SqliteOptions, "onSearchBuild"> & { readonly connections?: number | undefined };

/**
 * Opens a PostgreSQL database.
 * @throws UsageError if the address is invalid
 * @throws Failure if the database can't be used
 */
export async function openPostgres(
  address: string,
  { connections = defaultConnections, ...options }: PostgresOpenOptions,
): Promise<OpenDatabase> {
  const { postgresStorage, postgresRequestLog, assertPostgresWritable, schemaVersion } = await loadDriver();
  const { pool, storage, name } = await openPool(address, connections, (pool) => postgresStorage(pool, options));
  const counts = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const exclusively: OpenDatabase["exclusively"] = (work) => withAdvisoryLock(pool, work);
  const probe = () => assertPostgresWritable(pool);
  const openRequestLog = (days: number): OpenRequestLog => {
    return { ...postgresRequestLog(pool, { maxAgeMs: days * dayMs }), close() {} };
  };
  const names = { schema: schemaVersion, name, folder: undefined, flag: "--database URL" };
  return { ...names, storage, isNew: false, exclusively, probe, pool: counts, openRequestLog };
}

/** Opens the request log of a PostgreSQL database to read it. @throws like `openPostgres` */
export async function openPostgresRequestLog(address: string): Promise<OpenRequestLog> {
  const { postgresRequestLog, postgresSnapshot } = await loadDriver();
  const { pool, storage } = await openPool(address, 1, postgresSnapshot);
  return { ...postgresRequestLog(pool, { maxAgeMs: dayMs }), close: () => void storage.close() };
}

/** Opens a read-only snapshot of a PostgreSQL database. @throws like `openPostgres` */
export async function openPostgresSnapshot(address: string): Promise<Storage> {
  const { postgresSnapshot } = await loadDriver();
  return (await openPool(address, defaultConnections, postgresSnapshot)).storage;
}

/** Removes a tenant from a PostgreSQL database. @throws like `openPostgres` and `removeTenant` */
export async function removePostgresTenant(
  address: string,
  tenantId: string,
  backUp: () => Promise<void>,
): Promise<void> {
  const { postgresStorage, removeTenant } = await loadDriver();
  const { pool, storage } = await openPool(address, defaultConnections, (pool) => postgresStorage(pool));
  await removeTenant(pool, tenantId, backUp).finally(() => storage.close());
}

/** Returns the SQL of `distributeTables`. */
export async function postgresDistributionSql(): Promise<readonly string[]> {
  return (await loadDriver()).distributionSql;
}

type Library = typeof import("#lib/postgres");

/** Runs queries on one connection and doesn't create tables. @throws like `openPostgres` */
export async function queryPostgres<T>(
  address: string,
  query: (client: Client, library: Library) => Promise<T>,
): Promise<T> {
  const name = publicAddress(address);
  const { pg, ...library } = await loadDriver();
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: connectionTimeoutMs });
  client.on("error", () => {});
  try {
    await client.connect();
    return await query(client, library);
  } catch (error) {
    throw new Failure(`Cannot use the database ${name}: ${describeError(error)}`);
  } finally {
    await client.end();
  }
}

async function openPool(address: string, connections: number, open: (pool: Pool) => Promise<Storage>) {
  const name = publicAddress(address);
  const { pg } = await loadDriver();
  const pool = new pg.Pool({
    connectionString: address,
    max: connections,
    connectionTimeoutMillis: connectionTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: "crm-integrations",
  });
  try {
    return { pool, name, storage: await open(pool) };
  } catch (error) {
    await pool.end();
    throw new Failure(`Cannot use the database ${name}: ${describeError(error)}`);
  }
}

/** Imports pg on first use, because it is an optional dependency. */
async function loadDriver() {
  try {
    const [{ default: pg }, library] = await Promise.all([import("pg"), import("#lib/postgres")]);
    return { pg, ...library };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("--database requires the package pg. Run: npm install pg");
  }
}

/** Returns the address without the password and the parameters. @throws UsageError if it isn't a PostgreSQL URL */
export function publicAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol))
    throw new UsageError("--database must be a URL such as postgres://crm@localhost:5432/crm.");
  return `${url.protocol}//${url.username}${url.username === "" ? "" : "@"}${url.host}${url.pathname}`;
}

/** Uses a transaction lock, because a pooler can give each statement of a session another connection. */
async function withAdvisoryLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  client.on("error", () => {});
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${advisoryLockKey})`);
    return await work();
  } finally {
    // Closing the connection releases the lock.
    client.release(true);
  }
}

/** Returns the message of the driver in one line, or the system error code if it has none. */
function describeError(error: unknown): string {
  const cause = error instanceof Error && error.name !== "DatabaseError" && error.cause ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause instanceof AggregateError ? (cause.errors[0] as Error) : cause;
  const text = inner.message || String((inner as NodeJS.ErrnoException).code);
  return `${text.replace(/\s+/g, " ").replace(/\.$/, "")}.`;
}
