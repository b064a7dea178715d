import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type ServerOptions, serve } from "../../../lib/http/index.ts";
import { createApi, systemClock, unlimitedRateLimiter } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds } from "../../support/harness.ts";

/** The first argument, as JSON. */
export type LimitsProgram = {
  readonly tenantFiles: readonly string[];
  readonly server?: Partial<ServerOptions>;
  readonly maxInFlight?: number;
  /** The database file. The default is a database in memory. */
  readonly file?: string;
  /** Removes the rate limit. */
  readonly unlimited?: boolean;
};

/** The response to each line on stdin. */
export type State = {
  /** Resident memory, and the memory in use on the heap and outside of it. */
  readonly rssMiB: number;
  readonly usedMiB: number;
  /** The largest resident set since the start. */
  readonly peakMiB: number;
  readonly connections: number;
};

const program = JSON.parse(process.argv[2] ?? "") as LimitsProgram;
const { tenantFiles, server: options, file = ":memory:", unlimited: isUnlimited = false, ...rest } = program;
const storage = sqliteStorage({ file });
const newId = sequentialIds();
for (const path of tenantFiles)
  await loadTenantFile(storage, JSON.parse(readFileSync(path, "utf8")), { clock: systemClock, newId });
const api = createApi({ storage, ...rest, ...(isUnlimited && { rateLimiter: unlimitedRateLimiter }) });
const { url, server, close } = await serve(api, { host: "127.0.0.1", port: 0, ...options });
process.stdout.write(`${url}\n`);
for await (const _ of createInterface(process.stdin)) {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const connections = await new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
  const mebibyte = 1024 * 1024;
  const state: State = {
    rssMiB: Math.round(rss / mebibyte),
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    usedMiB: Math.round((heapUsed + external) / mebibyte),
    connections,
  };
  process.stdout.write(`${JSON.stringify(state)}\n`);
}
await close();
await api.close();
