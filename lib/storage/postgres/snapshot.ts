import type { Pool, PoolClient, QueryConfig } from "pg";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { PostgresStorage, preparePool } from "./storage.ts";
import { toStorageUnavailable } from "./storage-errors.ts";

/**
 * Opens a consistent read-only view of the database: later commits aren't visible in it. The snapshot owns the pool
 * and ends it on `close`.
 * @throws DatabaseError, StorageUnavailable as `postgresStorage`
 */
export async function postgresSnapshot(pool: Pool): Promise<Storage> {
  await preparePool(pool);
  try {
    const client = await pool.connect();
    // Without a listener, a connection that breaks would end the process. The next read reports the error.
    client.on("error", () => {});
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The first read of the transaction takes the snapshot.
    await client.query("SELECT FROM settings");
    return new PostgresSnapshot(pool, client);
  } catch (error) {
    throw toStorageUnavailable(error);
  }
}

class PostgresSnapshot extends PostgresStorage {
  readonly #client: PoolClient;
  #isReleased = false;

  constructor(pool: Pool, client: PoolClient) {
    const run = (config: QueryConfig) => client.query(config);
    super(pool, { fast: run, slow: run });
    this.#client = client;
  }

  override async commit(): Promise<void> {
    throw new StorageUnavailable("A snapshot is read-only.");
  }

  override async pruneIdempotencyRecords(): Promise<number> {
    throw new StorageUnavailable("A snapshot is read-only.");
  }

  override async pruneEvents(): Promise<number> {
    throw new StorageUnavailable("A snapshot is read-only.");
  }

  override close(): Promise<void> {
    if (!this.#isReleased) this.#client.release(true);
    this.#isReleased = true;
    return super.close();
  }
}
