import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { describeStorage } from "./storage.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "crm-storage-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

describeStorage("SQLite in memory", async () => ({ storage: sqliteStorage({ file: ":memory:" }) }));

describeStorage("SQLite in a file", async () => {
  const file = join(folder, String(++files), "crm.db");
  const storage = sqliteStorage({ file });
  const reopen = async () => {
    await storage.close();
    return sqliteStorage({ file });
  };
  return { storage, reopen };
});
