import type { Pool } from "pg";
import { withConnection } from "./connection.ts";
import { toStorageError } from "./storage-errors.ts";
import { commitInSteps } from "./transaction.ts";

/**
 * Begins a transaction as a commit does, and writes nothing: resolves where the database takes commits just now. Those of
 * another tenant may wait for each other all the same. It waits for a lock for 5 seconds, and has a connection meanwhile.
 * @throws StorageUnavailable, also where it is a standby
 */
export async function assertPostgresWritable(pool: Pool): Promise<void> {
  try {
    // The clock of no tenant: the lock is that of the table.
    await withConnection(pool, (client) => commitInSteps(client, "", []));
  } catch (error) {
    throw toStorageError(error);
  }
}
