import type { ClientBase, Pool, PoolConfig, QueryConfig } from "pg";
import { DatabaseError } from "../database-error.ts";
import { StorageUnavailable } from "../storage.ts";
import { assertCommits } from "./transaction.ts";
import { withConnection } from "./connection.ts";
import { statement } from "./statement.ts";
import { toSqlError, toStorageUnavailable } from "./storage-errors.ts";

/** SQLSTATEs of a prepared statement that is missing, or that another connection has already prepared. */
const lostStatementCodes = ["26000", "42P05"];
/** Rounds of the check. A busy pooler may pass one by chance. */
const roundCount = 3;

/**
 * Makes the pool reject each new connection to a standby. A primary becomes a standby only by a restart, which closes
 * its connections, so existing ones need no check. The check may take as long as making the connection.
 */
export function rejectStandbys(pool: Pool): void {
  const timeoutMs = pool.options.connectionTimeoutMillis;
  const verifyByHost: PoolConfig["verify"] = pool.options.verify;
  const config = { text: "SELECT pg_is_in_recovery() AS standby", query_timeout: timeoutMs } as QueryConfig;
  pool.options.verify = (client, done) =>
    void client.query<{ standby: boolean }>(config).then(({ rows }) => {
      if (rows[0]?.standby === true)
        done(new StorageUnavailable("This PostgreSQL server is a standby. Use the address of the primary."));
      else if (verifyByHost === undefined) done();
      else verifyByHost(client, done);
    }, done);
}

/**
 * Rejects a pooler that gives a prepared statement's connection to others. While one connection is in a transaction,
 * such a pooler has to move the other to another server connection, or has already given its server connection away.
 * A pool of one connection isn't checked.
 * @throws DatabaseError if prepared statements get lost
 * @throws StorageUnavailable if the database can't be reached
 */
export async function assertKeepsStatements(pool: Pool): Promise<void> {
  if (pool.options.max < 2) return;
  const runPrepared = (client: ClientBase) => client.query(statement("SELECT 1", []));
  try {
    await withConnection(pool, (first) =>
      withConnection(pool, async (second) => {
        for (let round = 0; round < roundCount; round++) {
          await runPrepared(first);
          await second.query("BEGIN");
          await runPrepared(second);
          await runPrepared(first);
          await second.query("COMMIT");
        }
      }),
    );
  } catch (error) {
    if (!lostStatementCodes.includes(toSqlError(error)?.code ?? "")) throw toStorageUnavailable(error);
    throw new DatabaseError(
      "The connection pooler loses prepared statements. Use session pooling, PgBouncer 1.21 or later with max_prepared_statements, or a direct connection.",
    );
  }
}

/**
 * Checks that the database accepts commits: begins a transaction as a commit does, and writes nothing. It locks no
 * tenant, so commits of a single tenant can still be blocked. It waits up to 5 seconds for a lock and holds a
 * connection for that time.
 * @throws StorageUnavailable if the database doesn't accept commits, or is a standby
 */
export async function assertPostgresWritable(pool: Pool): Promise<void> {
  try {
    await withConnection(pool, assertCommits);
  } catch (error) {
    throw toStorageUnavailable(error);
  }
}
