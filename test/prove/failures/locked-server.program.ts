import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { serve } from "../../../lib/http/index.ts";
import { createApi } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";

/**
 * Serves a database. For each line on stdin, prints the longest time in milliseconds that the event loop was blocked
 * since the previous line. Excludes the time in which the thread waited for a processor.
 */
const everyMs = 5;
let longestMs = 0;
let [last, waitedMs] = [performance.now(), waitedForProcessorMs()];

function waitedForProcessorMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

const api = createApi({ storage: sqliteStorage({ file: process.argv[2] ?? "" }) });
const server = await serve(api, { host: "127.0.0.1", port: 0 });
const timer = setInterval(() => {
  const [now, waited] = [performance.now(), waitedForProcessorMs()];
  longestMs = Math.max(longestMs, now - last - everyMs - (waited - waitedMs));
  [last, waitedMs] = [now, waited];
}, everyMs);
process.stdout.write(`${server.url}/integrations/v1\n`);
for await (const _ of createInterface(process.stdin)) {
  process.stdout.write(`${longestMs}\n`);
  longestMs = 0;
}
clearInterval(timer);
await server.close();
await api.close();
