import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../../../bin/database/database.ts";
import { findNotices } from "../../../bin/server/initial-data.ts";
import { inspectKeys } from "../../../bin/tenants/inspect-keys.ts";
import { type Storage, StorageUnavailable, wrapStorage } from "../../../lib/index.ts";
import { fullTenant, insertAll } from "../../../lib/storage/contract/full-tenant.ts";
import { idOf, startTime } from "../../../lib/storage/contract/records.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";

const lost = new StorageUnavailable("The database can't be used: 08006.");

/** A storage of two tenants with a test key each. The reads of the first one reject with `error`. */
async function partlyReadable(error: unknown): Promise<Storage> {
  const storage = memoryStorage();
  for (const tenant of [1, 2])
    await storage.commit(idOf(tenant, 0), startTime, () =>
      insertAll(fullTenant(tenant, startTime)).map((write) =>
        write.kind === "apiKey" && write.op === "insert"
          ? { ...write, record: { ...write.record, lastUsedAt: null, revokedAt: null, expiresAt: null } }
          : write,
      ),
    );
  return wrapStorage(storage, {
    list: (tenant, ...args) => (tenant === idOf(1, 0) ? Promise.reject(error) : storage.list(tenant, ...args)),
  });
}

test("a tenant that can't be read is named, and the API keys of the others are inspected", async () => {
  const storage = await partlyReadable(lost);
  const { testKeys, unread, isUnused } = await inspectKeys(storage, startTime);
  assert.deepEqual(
    unread.map(({ tenantId, reason }) => [tenantId, reason]),
    [[idOf(1, 0), lost.message]],
  );
  assert.ok(testKeys.length > 0 && testKeys.every(({ tenantId }) => tenantId === idOf(2, 0)));
  // An API key of the other tenant may have been used.
  assert.equal(isUnused, false);
  const database = { ...openMemory(), name: "postgres://crm@db.example/crm", flag: "--database URL" };
  const { warnings } = await findNotices(database, storage);
  const warning = warnings.find((each) => each.includes(idOf(1, 0))) ?? "";
  assert.match(warning, /^Can't read the API keys of tenant .* The database can't be used: 08006\. /s);
  assert.ok(warning.endsWith("crm-integrations check --database URL"), warning);
});

test("any other error of a read isn't hidden", async () => {
  const error = new TypeError("invalid");
  await assert.rejects(inspectKeys(await partlyReadable(error), startTime), error);
});
