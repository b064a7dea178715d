import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { serve } from "../../lib/http/index.ts";
import { createApi } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";

/**
 * Serves the database that is named, and for each line on stdin says for how many milliseconds its event loop stood
 * still at the most since the last one.
 */
const api = createApi({ storage: sqliteStorage({ file: process.argv[2] ?? "" }) });
const server = await serve(api, { host: "127.0.0.1", port: 0 });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.stdout.write(`${server.url}/integrations/v1\n`);
for await (const _ of createInterface(process.stdin)) {
  process.stdout.write(`${delay.max / 1e6}\n`);
  delay.reset();
}
await server.close();
await api.close();
