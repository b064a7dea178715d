import { join } from "node:path";
import type { Storage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The storage of this run: `sqlite`, or `postgres` in `npm run test:postgres`. */
export const testedStorage = process.env.TEST_STORAGE ?? "sqlite";

// Import on demand, because the module stops a server after the tests of each file.
const postgres = testedStorage === "postgres" ? await import("./postgres-databases.ts") : undefined;

/** Opens an empty storage. */
export async function freshStorage(): Promise<Storage> {
  if (postgres === undefined) return sqliteStorage({ file: ":memory:" });
  return postgres.storageAt(await postgres.freshAddress());
}

/** Opens one empty database twice, as two servers do. */
export async function sharedStorages(): Promise<readonly [Storage, Storage]> {
  if (postgres !== undefined) {
    const address = await postgres.freshAddress();
    return [await postgres.storageAt(address), await postgres.storageAt(address)];
  }
  const folder = temporaryFolder();
  const file = join(folder, "crm.db");
  return [sqliteStorage({ file }), sqliteStorage({ file })];
}
