import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

test("PostgreSQL: listJson ends after the record that exceeds maxBytes, but not before the second", {
  skip: noPostgres,
}, async (t) => {
  const storage = await storageAt(await freshAddress());
  t.after(() => storage.close());
  const tenant = await createTenant(storage, 1);
  // Of ten records, every second is archived.
  const description = "👩".repeat(65_536);
  await storage.commit(tenant, startTime + 1_000, (at) =>
    Array.from({ length: 10 }, (_, index) => {
      const task = { ...newTask(idOf(1, index), at), description, archivedAt: index % 2 === 0 ? null : at };
      return insertWrite("task", task);
    }),
  );
  const bytes = Buffer.byteLength(description);
  const idsOf = async (maxBytes: number): Promise<readonly string[]> => {
    const found = await storage.listJson(tenant, "task", { maxBytes, limit: 100, includeArchived: true });
    return found.map((json) => (JSON.parse(json) as { id: string }).id);
  };
  const ids = Array.from({ length: 10 }, (_, index) => idOf(1, index));
  assert.deepEqual(await idsOf(1), ids.slice(0, 2));
  assert.deepEqual(await idsOf(3.5 * bytes), ids.slice(0, 4));
  assert.deepEqual(await idsOf(100 * bytes), ids);
});
