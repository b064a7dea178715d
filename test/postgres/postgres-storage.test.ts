import { describe, it, test } from "node:test";
import type { Storage } from "../../lib/index.ts";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

// postgres-sharding.test.ts runs the contract with pipelining, and reads its statements.
if (noPostgres) {
  test("PostgreSQL storage contract", (t) => t.skip(noPostgres || ""));
} else {
  const addresses = new WeakMap<Storage, string>();
  const openAt = async (address: string): Promise<Storage> => {
    const storage = await storageAt(address, { pipeline: false });
    addresses.set(storage, address);
    return storage;
  };
  const subject = {
    open: async () => openAt(await freshAddress()),
    async reopen(storage: Storage) {
      await storage.close();
      return openAt(addresses.get(storage) ?? "");
    },
  };
  describeStorage("PostgreSQL without pipelining", subject, { describe, it });
}
