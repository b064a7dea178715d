import { randomBytes } from "node:crypto";
import { serve } from "../lib/http/index.ts";
import { createApi, type Limiter, type Logger, memoryLimiter, systemClock, uuidV7 } from "../lib/index.ts";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { type LoadedTenant, loadTenantFile, TenantFileRefused } from "../lib/tenant-file/index.ts";
import { adminAuthOf, databaseFile, dataDefault } from "./data-folder.ts";
import { readTenantFile } from "./tenant-files.ts";
import { UsageError } from "./usage.ts";

export const serveOptions = {
  data: { type: "string" },
  listen: { type: "string", default: "127.0.0.1:8080" },
  fixtures: { type: "string", multiple: true },
  "rate-limit": { type: "string", default: "300" },
  json: { type: "boolean", default: false },
} as const;

export type ServeOptions = {
  readonly data?: string | undefined;
  readonly listen: string;
  readonly fixtures: readonly string[];
  readonly "rate-limit": string;
  readonly json: boolean;
};

const basePath = "/integrations/v1";

/** So many requests are accepted per key for each authentication that may fail per address. */
const failuresShare = 5;

/** Opens the database, loads what is to be loaded, listens, and stops at the first SIGTERM or SIGINT. */
export async function serveCommand(options: ServeOptions): Promise<void> {
  const { host, port } = addressOf(options.listen);
  const rate = rateOf(options["rate-limit"]);
  const perMinute = (limit: number): Limiter => memoryLimiter({ limit, windowMs: 60_000, clock: systemClock });
  const limits = { limiter: perMinute(rate), failureLimiter: perMinute(Math.ceil(rate / failuresShare)) };
  const inMemory = options.data === undefined && options.fixtures.length > 0;
  const file = inMemory ? ":memory:" : databaseFile(options.data ?? dataDefault);
  const files = options.fixtures.map((name) => ({ name, content: readTenantFile(name) }));
  const storage = sqliteStorage({ file });
  const tools = { clock: systemClock, newId: () => uuidV7(Date.now(), randomBytes) };
  const tenants: LoadedTenant[] = [];
  for (const { name, content } of files) tenants.push(await named(name, () => loadTenantFile(storage, content, tools)));
  const adminAuth = options.data === undefined && inMemory ? undefined : adminAuthOf(options.data ?? dataDefault);
  const api = createApi({ storage, logger, ...limits, ...(adminAuth === undefined ? {} : { adminAuth }) });
  const server = await serve(api, { host, port });
  const stop = async (): Promise<void> => {
    await server.close();
    await api.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  const baseUrl = server.url + basePath;
  const keys = tenants.flatMap((tenant) => tenant.keys);
  if (options.json) {
    const shown = keys.map(({ tenant, integration, key, scopes }) => ({ tenant, integration, key, scopes }));
    process.stdout.write(`${JSON.stringify({ url: server.url, baseUrl, keys: shown, pid: process.pid })}\n`);
  } else {
    process.stdout.write(banner(baseUrl, file, tenants));
  }
}

/** At most 12 lines, with a command that works when pasted. */
function banner(baseUrl: string, file: string, tenants: readonly LoadedTenant[]): string {
  const names = tenants.slice(0, 3).map(({ name, created }) => `${name}${created ? "" : " (was there already)"}`);
  const key = tenants
    .flatMap(({ keys }) => keys)
    .find(({ revoked, scopes }) => !revoked && scopes.includes("tasks:read"));
  const lines = [
    `crm-integrations serves ${baseUrl}`,
    `  database  ${file === ":memory:" ? "in memory; gone when this stops" : file}`,
    ...(names.length > 0 ? [`  tenants   ${names.join(", ")}${tenants.length > 3 ? ", ..." : ""}`] : []),
    ...(key === undefined ? [] : ["", "Try it:", "", `  curl -H 'x-api-key: ${key.key}' '${baseUrl}/tasks?limit=3'`]),
    "",
    "Ctrl-C stops it.",
  ];
  return `${lines.join("\n")}\n`;
}

function addressOf(listen: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(listen);
  const port = Number(match?.[3]);
  if (match === null || port > 65535)
    throw new UsageError(`--listen takes HOST:PORT, such as 127.0.0.1:8080, not "${listen}".`);
  return { host: match[1] ?? (match[2] || "127.0.0.1"), port };
}

function rateOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new UsageError(`--rate-limit takes a whole number from 1 to 99999, not "${text}".`);
  return limit;
}

async function named<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw error instanceof TenantFileRefused
      ? new TenantFileRefused(`${name}: ${error.message}`, error.findings)
      : error;
  }
}

/** Faults of ours, a line of JSON each, on stderr. */
const logger: Logger = {
  error(fields, message) {
    const err = fields.err;
    const text = err instanceof Error ? err.stack : String(err);
    process.stderr.write(
      `${JSON.stringify({ level: "error", time: new Date().toISOString(), message, ...fields, err: text })}\n`,
    );
  },
};
