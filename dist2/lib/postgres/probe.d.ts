import type { Pool } from "pg";
/**
 * Begins a transaction as a commit does, and writes nothing: resolves where the database takes commits just now. Those of
 * another tenant may wait for each other all the same. It waits for a lock for 5 seconds, and has a connection meanwhile.
 * @throws StorageUnavailable, also where it is a standby
 */
export declare function probePostgres(pool: Pool): Promise<void>;
