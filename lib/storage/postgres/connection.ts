import type { Client, Pool, PoolClient, QueryConfig, QueryResult } from "pg";

type PendingRead = {
  readonly config: QueryConfig;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
};

/** Number of connections that reads share. More would make the groups of reads smaller. */
const maxReadConnections = 2;
/** Number of reads after which a connection goes back to the pool, for others that wait for one. */
const maxReadsPerConnection = 1_000;

/**
 * The listener of the connections in use. The pool only listens to idle ones. Without a listener, a restart of
 * PostgreSQL would end the process.
 */
const ignore = (): void => {};

/**
 * Calls `work` with one connection of the pool. If `work` rejects, the transaction is rolled back. If that fails as
 * well, the connection is closed.
 */
export async function withConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
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
 * Returns a function that runs reads. The reads of a turn of the event loop are sent together. All reads share a few
 * pipelined connections. If the connections of the pool aren't pipelined, each read gets its own.
 */
export function sharedReads(pool: Pool): (config: QueryConfig) => Promise<QueryResult> {
  const connections = new Set<ReadConnection>();
  let waiting: PendingRead[] = [];

  const send = (): void => {
    const reads = waiting;
    waiting = [];
    let [connection] = [...connections].sort((a, b) => a.pendingCount - b.pendingCount);
    if (connection === undefined || connections.size < maxReadConnections) {
      connection = new ReadConnection(pool, connections);
      connections.add(connection);
    }
    void connection.run(reads);
  };

  return (config) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ config, resolve, reject });
    });
}

/** A connection of the pool that reads share. It goes back to the pool when no read is pending. */
class ReadConnection {
  readonly #pool: Pool;
  /** The connections that take new reads. */
  readonly #open: Set<ReadConnection>;
  readonly #client: Promise<PoolClient>;
  #takenCount = 0;
  #isBroken = false;
  pendingCount = 0;

  constructor(pool: Pool, open: Set<ReadConnection>) {
    this.#pool = pool;
    this.#open = open;
    this.#client = pool.connect().then((client) => client.on("error", ignore));
  }

  async run(reads: readonly PendingRead[]): Promise<void> {
    this.pendingCount += reads.length;
    this.#takenCount += reads.length;
    if (this.#takenCount >= maxReadsPerConnection) this.#open.delete(this);
    let client: PoolClient;
    try {
      client = await this.#client;
    } catch (error) {
      this.#open.delete(this);
      for (const { reject } of reads) reject(error);
      return;
    }
    // Without this, each query is written to the socket by a system call of its own. pg-native has no stream.
    const stream = (client as Client).connection?.stream;
    stream?.cork();
    for (const read of reads) this.#send(client, read);
    stream?.uncork();
  }

  #send(client: PoolClient, { config, resolve, reject }: PendingRead): void {
    if (client.pipeline !== true) {
      this.#end(client);
      this.#pool.query(config).then(resolve, reject);
      return;
    }
    client.query(config).then(
      (result) => {
        this.#end(client);
        resolve(result);
      },
      (error) => {
        // A connection that failed a read may fail it again, for example after a schema change.
        this.#isBroken = true;
        this.#open.delete(this);
        this.#end(client);
        reject(error);
      },
    );
  }

  #end(client: PoolClient): void {
    if (--this.pendingCount > 0) return;
    this.#open.delete(this);
    client.removeListener("error", ignore);
    client.release(this.#isBroken);
  }
}
