import { readFileSync, rmSync } from "node:fs";
import { createClient } from "../../../lib/client/index.ts";
import { serve } from "../../../lib/http/server.ts";
import { createApi } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile, parseTenantFile } from "../../../lib/tenant-file/index.ts";

// Serves the demo tenant from memory and from a SQLite file, and changes it. The argument is the path of the file.
const [, , file = ""] = process.argv;
for (const storage of [memoryStorage(), sqliteStorage({ file, commitWorker: true })]) {
  const tenant = parseTenantFile(readFileSync(new URL("../../../fixtures/demo.json", import.meta.url)));
  const { keys } = await loadTenantFile(storage, tenant);
  const api = createApi({ storage });
  const server = await serve(api, { host: "127.0.0.1", port: 0 });
  const crm = createClient({ baseUrl: `${server.url}/integrations/v1`, apiKey: keys[0]?.key ?? "" });
  const { id } = await crm.tasks.create({ title: "Call Ana" });
  await crm.tasks.update(id, { status: "completed" });
  const titles: string[] = [];
  for await (const { title } of crm.tasks.list({ status: "completed" }).records()) titles.push(title);
  if (titles.at(-1) !== "Call Ana") throw new Error("The changed task isn't the last one.");
  await server.close();
  await api.close();
}
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
process.stdout.write("memory and SQLite work\n");
