import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writePrivateFile } from "../../bin/cli/private-file.ts";
import { folderAdminAuth } from "../../bin/database/data-folder.ts";
import { createTenant } from "../../lib/storage/contract/records.ts";
import { backupDatabase, restoreDatabase, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();

/**
 * Imitates Windows, which syncs only files that are open for writing, and no folders. Returns the synced descriptors.
 */
async function asOnWindows(t: TestContext): Promise<number[]> {
  // Load the SQLite addon first, because its path depends on the platform.
  await sqliteStorage({ file: ":memory:" }).close();
  const { openSync, fsyncSync } = fs;
  const synced: number[] = [];
  const flags = new Map<number, unknown>();
  t.mock.method(fs, "openSync", (...args: Parameters<typeof openSync>) => {
    const descriptor = openSync(...args);
    flags.set(descriptor, args[1]);
    return descriptor;
  });
  t.mock.method(fs, "fsyncSync", (descriptor: number) => {
    if (flags.get(descriptor) === "r") throw Object.assign(new Error("EPERM: fsync"), { code: "EPERM" });
    synced.push(descriptor);
    fsyncSync(descriptor);
  });
  const platform = Object.getOwnPropertyDescriptor(process, "platform") ?? {};
  Object.defineProperty(process, "platform", { value: "win32" });
  syncBuiltinESMExports();
  t.after(() => {
    Object.defineProperty(process, "platform", platform);
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return synced;
}

test("where no folder can be synced, as on Windows, a data folder is made, copied and restored", async (t) => {
  const synced = await asOnWindows(t);
  const folder = join(root, "new", "data");
  const [file, backup] = [join(folder, "crm.db"), join(root, "backup.db")];
  const storage = sqliteStorage({ file });
  const tenant = await createTenant(storage, 1);
  backupDatabase({ file, target: backup });
  await storage.close();
  const before = synced.length;
  assert.ok(before > 0, "the backup was not synced");
  restoreDatabase({ file, backup });
  assert.ok(synced.length > before, "what was restored was not synced");
  const again = sqliteStorage({ file });
  assert.equal((await again.get(tenant, "tenant", tenant))?.id, tenant);
  await again.close();
  assert.equal(folderAdminAuth(folder).secret.length, 32);
  assert.equal(await writePrivateFile(process, join(root, "dump.json"), pieces()), 2);
});

async function* pieces(): AsyncGenerator<string> {
  yield "{}";
}
