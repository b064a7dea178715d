import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStorage } from "../../lib/storage/memory.ts";
import { wrapStorage } from "../../lib/storage/wrap-storage.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { fixture } from "../support/tenant-file-edit.ts";

test("a wrapped storage returns the JSON of the records that a replaced method returns", async () => {
  const storage = memoryStorage();
  const { tenantId } = await loadTenantFile(storage, fixture("demo"));
  const [record] = await storage.list(tenantId, "task", { limit: 1 });
  assert.ok(record !== undefined);
  const renamed = wrapStorage(storage, {
    async get(tenant, kind, id) {
      const found = await storage.get(tenant, kind, id);
      return found && { ...found, title: "Renamed" };
    },
  });
  assert.equal(JSON.parse((await renamed.getJson(tenantId, "task", record.id)) ?? "").title, "Renamed");
  assert.deepEqual(await renamed.list(tenantId, "task", {}), await storage.list(tenantId, "task", {}));
  const unchanged = wrapStorage(storage, { getJson: async () => "{}" });
  assert.equal(await unchanged.getJson(tenantId, "task", record.id), "{}");
});
