import { onConnection } from "./connection.js";
import { faultOf } from "./fault.js";
import { transact } from "./transaction.js";
/**
 * Begins a transaction as a commit does, and writes nothing: resolves where the database takes commits just now. Those of
 * another tenant may wait for each other all the same. It waits for a lock for 5 seconds, and has a connection meanwhile.
 * @throws StorageUnavailable, also where it is a standby
 */
export async function probePostgres(pool) {
    try {
        // The clock of no tenant: the lock is that of the table.
        await onConnection(pool, (client) => transact(client, "", []));
    }
    catch (error) {
        throw faultOf(error);
    }
}
