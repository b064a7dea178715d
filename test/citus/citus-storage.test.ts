import { after, describe, it } from "node:test";
import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { distributeTables } from "../../lib/storage/postgres/index.ts";
import { tenantTables } from "../../lib/storage/sql/table.ts";
import { noCitus, startCitus } from "../support/citus-cluster.ts";
import { storageAt } from "../support/postgres-databases.ts";

let cluster: Promise<{ readonly url: string; readonly admin: pg.Client; stop(): Promise<void> }> | undefined;

after(async () => {
  const { admin, stop } = (await cluster) ?? {};
  await admin?.end();
  await stop?.();
});

/** Starts a cluster with distributed tables. */
async function open() {
  const { url, stop } = await startCitus();
  await (await storageAt(url)).close();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await distributeTables(admin);
  return { url, admin, stop };
}

/** Returns the address of the cluster, after the removal of all records. To distribute new tables takes seconds. */
async function emptyAddress(): Promise<string> {
  cluster ??= open();
  const { url, admin } = await cluster;
  for (const name of ["api_key_owners", "search_entries", ...tenantTables]) await admin.query(`DELETE FROM ${name}`);
  return url;
}

describe("Citus", { skip: noCitus }, () => {
  describeStorage(
    "Citus",
    {
      open: async () => storageAt(await emptyAddress()),
      async reopen(storage: Storage) {
        await storage.close();
        return storageAt((await cluster)?.url ?? "");
      },
    },
    { describe, it },
  );
});
