import { tenantTables } from "../sql/table.js";
import { isFound, pathOf } from "./disk.js";
import { openExisting } from "./file.js";
import { DatabaseRefused, refusalOf } from "./refused.js";
/** How long the removal waits for the lock of another program. */
const lockWaitMs = 5_000;
/**
 * Removes a tenant and everything that belongs to it in one transaction. A crash leaves the whole tenant or nothing of
 * it. Other programs can read during the removal, but not write.
 * @param backUp called before the removal, while no program can write. If it rejects, nothing is removed.
 * @throws DatabaseRefused if the file is missing or locked, or isn't a database of this version
 */
export async function removeTenant({ file, tenantId, backUp, }) {
    if (!isFound(file))
        throw new DatabaseRefused(`There is no database ${file}.`);
    const database = openExisting(pathOf(file));
    try {
        database.pragma(`busy_timeout = ${lockWaitMs}`);
        database.exec("BEGIN IMMEDIATE");
        await backUp();
        for (const name of tenantTables)
            database.prepare(`DELETE FROM ${name} WHERE tenant_id = ?`).run(tenantId);
        database.exec("COMMIT");
    }
    catch (error) {
        throw refusalOf(error, file);
    }
    finally {
        // Rolls back a transaction that is still open.
        database.close();
    }
}
