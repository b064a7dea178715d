import type { Pool } from "pg";
/**
 * Makes the pool reject each new connection to a standby. A primary becomes a standby only by a restart, which closes
 * its connections, so existing ones need no check. The check may take as long as making the connection.
 */
export declare function rejectStandbys(pool: Pool): void;
/**
 * Rejects a pooler that gives a prepared statement's connection to others. While one connection is in a transaction,
 * such a pooler has to move the other to another server connection, or has already given its server connection away.
 * A pool of one connection isn't checked.
 * @throws DatabaseRefused if prepared statements get lost
 * @throws StorageUnavailable if the database can't be reached
 */
export declare function assertKeepsStatements(pool: Pool): Promise<void>;
