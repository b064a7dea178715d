import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";

type PendingRead = {
  readonly config: QueryConfig;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
};

/** Maximum number of reads that share a connection. Each read waits for the ones before it. */
const maxReadsPerConnection = 32;

/**
 * Calls `work` with one connection of the pool. If `work` rejects, the transaction is rolled back. If that fails as
 * well, the connection is closed.
 */
export async function withConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The pool only listens to idle connections. Without a listener, a restart of PostgreSQL would end the process.
  const ignore = (): void => {};
  client.on("error", ignore);
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.removeListener("error", ignore);
    client.release(isBroken);
  }
}

/**
 * Returns a function that runs reads. Reads of the same microtask share a connection and a round trip. If the
 * connection isn't pipelined, each read gets its own connection.
 */
export function batchReads(pool: Pool): (config: QueryConfig) => Promise<QueryResult> {
  let current: PendingRead[] | undefined;
  return (config) =>
    new Promise((resolve, reject) => {
      const read = { config, resolve, reject };
      if (current !== undefined && current.length < maxReadsPerConnection) return void current.push(read);
      const batch = [read];
      current = batch;
      queueMicrotask(() => {
        if (current === batch) current = undefined;
        void runReads(pool, batch);
      });
    });
}

async function runReads(pool: Pool, reads: readonly PendingRead[]): Promise<void> {
  const [first, ...others] = reads;
  if (first !== undefined && others.length === 0)
    return void pool.query(first.config).then(first.resolve, first.reject);
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { reject } of reads) reject(error);
    return;
  }
  const batch = client.pipeline === true ? reads : reads.slice(0, 1);
  for (const read of reads.slice(batch.length)) void runReads(pool, [read]);
  // Without a listener, a connection that breaks would end the process.
  const ignore = (): void => {};
  client.on("error", ignore);
  const results = await Promise.allSettled(batch.map(({ config }) => client.query(config)));
  client.removeListener("error", ignore);
  // A connection that failed a read may fail it again, for example after a schema change. Release it before callers continue.
  client.release(results.some(({ status }) => status === "rejected"));
  for (const [index, result] of results.entries()) {
    if (result.status === "fulfilled") batch[index]?.resolve(result.value);
    else batch[index]?.reject(result.reason);
  }
}
