import { readFileSync } from "node:fs";
import type { Storage } from "crm-integrations";
import { memoryStorage } from "crm-integrations/memory-storage";
import { loadTenantFile, parseTenantFile } from "crm-integrations/tenant-file";

/** Returns an in-memory storage with the demo tenant. For real data, use `sqliteStorage` from crm-integrations/sqlite. */
export async function demoStorage(): Promise<Storage> {
  const storage = memoryStorage();
  const file = parseTenantFile(readFileSync(new URL("../fixtures/demo.json", import.meta.url)));
  await loadTenantFile(storage, file);
  return storage;
}
