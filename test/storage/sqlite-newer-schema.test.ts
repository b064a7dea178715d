import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { NewerSchema } from "../../lib/index.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newEvent,
  newTask,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import { steps } from "../prove/failures/migration-steps.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();

for (const [name, commitWorker] of [
  ["the commit worker", true],
  ["the main thread", false],
] as const)
  test(`after a migration, ${name} rejects commits, deletes nothing, and reads work`, async () => {
    const file = join(root, String(commitWorker), "crm.db");
    const storage = sqliteStorage({ file, commitWorker });
    const tenant = await createTenant(storage, 1);
    const make = (index: number) =>
      commitNow(storage, tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at))]);
    await make(1);
    await commitNow(storage, tenant, startTime, (at) => [insertWrite("event", newEvent(idOf(1, 1), at))]);
    openWriter(file, steps).close();
    const pruned = [storage.pruneIdempotencyRecords(startTime), storage.pruneEvents(tenant, startTime + 10)];
    const results = await Promise.allSettled([make(2), make(3), ...pruned]);
    const expected = { message: new NewerSchema(3, 1).message, isNewer: true };
    assert.deepEqual(
      results.map(
        (each) =>
          each.status === "rejected" && { message: each.reason.message, isNewer: each.reason instanceof NewerSchema },
      ),
      [expected, expected, expected, expected],
    );
    assert.equal((await storage.list(tenant, "event", {})).length, 1);
    assert.equal((await storage.list(tenant, "task", {})).length, 1);
    await storage.close();
  });
