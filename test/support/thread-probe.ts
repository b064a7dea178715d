import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";

/**
 * Closes a storage while its commit worker starts, then prints "closed". Usage: `node test/support/thread-probe.ts`.
 */

const folder = mkdtempSync(join(tmpdir(), "crm-thread-"));
let isStarting = false;
process.once("worker", () => {
  isStarting = true;
});
const storage = sqliteStorage({ file: join(folder, "crm.db") });
const tenant = await createTenant(storage, 1);
for (let index = 0; !isStarting; index++) {
  await storage.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
}
await storage.close();
rmSync(folder, { recursive: true });
process.stdout.write("closed");
