import { DatabaseError } from "../database-error.ts";
import { tenantTables } from "../sql/table.ts";
import { toDatabaseError } from "./database-error.ts";
import { exists, resolvePath } from "./durable-fs.ts";
import { openExisting } from "./open.ts";

/** How long the removal waits for the lock of another program. */
const lockWaitMs = 5_000;

/**
 * Removes a tenant and everything that belongs to it in one transaction. A crash leaves the whole tenant or nothing of
 * it. Other programs can read during the removal, but not write.
 * @param backUp called before the removal, while no program can write. If it rejects, nothing is removed.
 * @throws DatabaseError if the file is missing or locked, or isn't a database of this version
 */
export async function removeTenant({
  file,
  tenantId,
  backUp,
}: {
  readonly file: string;
  readonly tenantId: string;
  readonly backUp: () => Promise<void>;
}): Promise<void> {
  if (!exists(file)) throw new DatabaseError(`No database at ${file}.`);
  const database = openExisting(resolvePath(file));
  try {
    database.pragma(`busy_timeout = ${lockWaitMs}`);
    database.exec("BEGIN IMMEDIATE");
    await backUp();
    for (const name of tenantTables) database.prepare(`DELETE FROM ${name} WHERE tenant_id = ?`).run(tenantId);
    database.exec("COMMIT");
  } catch (error) {
    throw toDatabaseError(error, file);
  } finally {
    // Rolls back a transaction that is still open.
    database.close();
  }
}
