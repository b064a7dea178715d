import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { DiskSpaceLowError, FreeSpaceMonitor, withFreeSpaceCheck } from "../../../bin/database/free-space-monitor.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock, testCrm } from "../../support/harness.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

test("while disk space is short, API keys can be revoked and used; other writes fail and leave nothing", async () => {
  const one = testTenant(1);
  const storage = sqliteStorage({ file: ":memory:" });
  const clock = new TestClock();
  await loadTenantFile(storage, tenantFile(one), { clock, newId: sequentialIds() });
  const changes: boolean[] = [];
  const freeSpace = new FreeSpaceMonitor(tmpdir(), Number.MAX_SAFE_INTEGER, (isLow) => void changes.push(isLow));
  const logged: unknown[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push(err) };
  const { api, send } = await testCrm([], { storage: withFreeSpaceCheck(storage, freeSpace), clock, logger });
  assert.equal((await send("POST", "/tasks", { key: one.key, body: { title: "Call" } })).status, 503);
  await api.idle();
  assert.deepEqual(
    logged.map((error) => error instanceof DiskSpaceLowError),
    [true],
  );
  const keys = await storage.list(one.id, "apiKey", { where: { integrationId: one.integration } });
  const key = keys.find(({ lastUsedAt }) => lastUsedAt === clock.now());
  assert.ok(key !== undefined, "the use of the key was not noted");
  await withFreeSpaceCheck(storage, freeSpace).commit(one.id, clock.now(), (at) => [
    {
      op: "update",
      kind: "apiKey",
      record: { ...key, revokedAt: at, updatedAt: at },
      expectedUpdatedAt: key.updatedAt,
    },
  ]);
  assert.equal((await send("GET", "/me", { key: one.key })).status, 401);
  assert.deepEqual(
    (await storage.list(one.id, "task", {})).map(({ title }) => title),
    ["Call Carla"],
  );
  assert.deepEqual(changes, [true]);
  await api.close();
});
