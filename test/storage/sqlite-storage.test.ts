import { join } from "node:path";
import { describe, it } from "node:test";
import type { Storage } from "../../lib/index.ts";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

describeStorage("SQLite in memory", { open: async () => sqliteStorage({ file: ":memory:" }) }, { describe, it });

for (const [name, commitWorker] of [
  ["file", false],
  ["file, with a commit worker", true],
] as const) {
  const files = new Map<Storage, string>();
  const openFile = (file: string): Storage => {
    const storage = sqliteStorage({ file, commitWorker });
    files.set(storage, file);
    return storage;
  };
  const inFiles = {
    open: async () => openFile(join(folder, `${commitWorker}`, String(files.size), "crm.db")),
    async reopen(storage: Storage) {
      await storage.close();
      return openFile(files.get(storage) ?? "");
    },
  };
  describeStorage(`SQLite in a ${name}`, inFiles, { describe, it });
}
