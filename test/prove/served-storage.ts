import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folderAdminAuth } from "../../bin/database/data-folder.ts";
import type { AdminAuth, Storage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { testedStorage } from "../support/storages.ts";
import { assertSound } from "./exactly-once/final-state.ts";

/**
 * Where the servers of a harness keep their records: a data folder, or PostgreSQL under `npm run test:postgres`. A
 * harness that takes its servers' arguments from here proves its promise of both.
 */
export type ServedPlace = {
  /** The options of `serve`. */
  readonly args: readonly string[];
  /** How tokens are signed that its servers take. */
  readonly adminAuth: AdminAuth & { readonly secret: Uint8Array };
  /** Opens the storage after the servers have ended. */
  open(): Promise<Storage>;
  /** Checks the database, which no other process may have open. */
  assertSound(): void;
};

export { testedStorage };

/** How many servers share one place, in turn: SQLite's are processes of one machine. */
export const serverCounts = testedStorage === "postgres" ? [2, 4] : [2];

/** With nothing in it. A data folder is made in this folder. */
export async function servedPlace(folder: string): Promise<ServedPlace> {
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

async function inPostgres(): Promise<ServedPlace> {
  const { freshAddress, storageAt } = await import("../support/postgres-databases.ts");
  const address = await freshAddress();
  const secret = "the secret of all servers of this harness";
  const adminAuth = { issuer: "crm-integrations", audience: "crm-integrations-admin", secret: Buffer.from(secret) };
  return {
    args: ["--database", address, "--admin-secret", secret],
    adminAuth,
    open: () => storageAt(address),
    // PostgreSQL checks its files itself, and its foreign keys at each write.
    assertSound: () => {},
  };
}
