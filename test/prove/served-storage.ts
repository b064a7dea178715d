import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folderAdminAuth } from "../../bin/database/data-folder.ts";
import type { AdminAuth, Storage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { testedStorage } from "../support/storages.ts";
import { assertSound } from "./exactly-once/final-state.ts";

/**
 * The storage of the servers of a test: a data folder, or PostgreSQL under `npm run test:postgres`. A test that starts
 * its servers with these arguments covers both.
 */
export type ServedStorage = {
  /** The options of `serve`. */
  readonly args: readonly string[];
  /** Signs the tokens that its servers accept. */
  readonly adminAuth: AdminAuth & { readonly secret: Uint8Array };
  /** Opens the storage after the servers have ended. */
  open(): Promise<Storage>;
  /** Checks the database, which no other process may have open. */
  assertSound(): void;
};

export { testedStorage };

/** The numbers of servers that share one database. */
export const serverCounts = testedStorage === "postgres" ? [2, 4] : [2];

/** Returns an empty one. A data folder is created in this folder. */
export async function createServedStorage(folder: string): Promise<ServedStorage> {
  if (testedStorage === "postgres") return inPostgres();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  return {
    args: ["--data", data],
    adminAuth: folderAdminAuth(data),
    open: async () => sqliteStorage({ file: join(data, "crm.db") }),
    assertSound: () => assertSound(data),
  };
}

async function inPostgres(): Promise<ServedStorage> {
  const { freshAddress, storageAt } = await import("../support/postgres-databases.ts");
  const address = await freshAddress();
  const secret = "the secret of all servers of this test";
  const adminAuth = { issuer: "crm-integrations", audience: "crm-integrations-admin", secret: Buffer.from(secret) };
  return {
    args: ["--database", address, "--admin-secret", secret],
    adminAuth,
    open: () => storageAt(address),
    // PostgreSQL checks its files, and its foreign keys at each write.
    assertSound: () => {},
  };
}
