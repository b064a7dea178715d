import type { Pool, PoolClient } from "pg";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { PostgresStorage, preparePool } from "./storage.ts";
import { toStorageError } from "./storage-errors.ts";

/**
 * The database as it is at this moment, whatever is written meanwhile: for a dump that is of one moment however long it
 * takes. It refuses writes. The pool is the snapshot's, and ended with it.
 * @throws as postgresStorage
 */
export async function postgresSnapshot(pool: Pool): Promise<Storage> {
  await preparePool(pool);
  try {
    const client = await pool.connect();
    // What breaks is told to whoever reads next.
    client.on("error", () => {});
    // A transaction of this sort sees the database as it is at its first read.
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query("SELECT FROM settings");
    return new ReadonlyPostgresStorage(pool, client);
  } catch (error) {
    throw toStorageError(error);
  }
}

class ReadonlyPostgresStorage extends PostgresStorage {
  readonly #client: PoolClient;
  #isOver = false;

  constructor(pool: Pool, client: PoolClient) {
    super(pool, (config) => client.query(config));
    this.#client = client;
  }

  override async commit(): Promise<void> {
    throw new StorageUnavailable("A snapshot takes no writes.");
  }

  override async pruneIdempotencyRecords(): Promise<number> {
    throw new StorageUnavailable("A snapshot takes no writes.");
  }

  override close(): Promise<void> {
    if (!this.#isOver) this.#client.release(true);
    this.#isOver = true;
    return super.close();
  }
}
