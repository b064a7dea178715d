import {
  booleanSetting,
  enumSetting,
  integerSetting,
  listSetting,
  type SettingValues,
  stringSetting,
} from "../cli/setting.ts";
import { databaseSettings } from "../database/database.ts";
import { defaultConnections } from "../database/postgres-database.ts";
import { adminSettings } from "./admin-auth.ts";
import { backupSettings } from "./backup-schedule.ts";
import { consoleSettings } from "./console.ts";
import { docsSettings } from "./docs-site.ts";
import { firstTenantSettings } from "./initial-data.ts";
import { connectionSettings } from "./listen.ts";
import { mcpSettings } from "./mcp.ts";
import { monitoringSettings } from "./monitoring.ts";
import { rateLimiterSettings } from "./rate-limiters.ts";
import { webhookSettings } from "./webhooks.ts";

/** Settings of serve, which config shows. */
export const serveSettings = {
  ...databaseSettings,
  databaseConnections: integerSetting("N", "size of the connection pool of PostgreSQL", {
    min: 2,
    max: 1000,
    preset: defaultConnections,
  }),
  search: enumSetting(
    ["unchanged", "on", "off"],
    "index for GET /search; off removes it, on builds it from all records",
    "unchanged",
  ),
  cacheMb: integerSetting(
    "N",
    "MiB of memory for pages of the SQLite database; fewer save memory, more speed up reads",
    {
      min: 1,
      max: 1_000_000,
      preset: 32,
    },
  ),
  listen: stringSetting("HOST:PORT", "address to listen on; port 0 selects a free port", { default: "127.0.0.1:8080" }),
  fixtures: listSetting(
    "FILE",
    'tenant files to load ("demo" is included); without --data or --database, the database is in memory',
  ),
  ...firstTenantSettings,
  intoExisting: booleanSetting("allow --fixtures to load into a database with other tenants"),
  json: booleanSetting("print JSON as the first line on stdout: url, baseUrl, keys, pid, signInLink"),
  ...rateLimiterSettings,
  corsOrigin: listSetting("ORIGIN", "origins of browser apps that can call the API, such as https://app.example.com"),
  compress: booleanSetting("compress responses over 1 KiB for clients that accept gzip"),
  maxInFlight: integerSetting("N", "concurrent requests; more are rejected with 503", {
    min: 1,
    max: 100_000,
    preset: 2000,
  }),
  eventDays: integerSetting("N", "days to keep events; older ones are deleted", { min: 1, max: 3650, preset: 30 }),
  drainSeconds: integerSetting("N", "seconds to wait for open requests at shutdown", {
    min: 0,
    max: 3600,
    preset: 10,
  }),
  ...monitoringSettings,
  ...connectionSettings,
  ...webhookSettings,
  ...adminSettings,
  adminJwksUrl: stringSetting("URL", "URL of the public keys that verify admin tokens, instead of a secret"),
  ...consoleSettings,
  ...docsSettings,
  ...mcpSettings,
  ...backupSettings,
} as const;

export type ServeValues = SettingValues<typeof serveSettings>;

/** Returns whether serve uses a database in memory. */
export function isInMemory({ data, database, fixtures }: Omit<ServeValues, "json">): boolean {
  return data === undefined && database === undefined && fixtures.length > 0;
}
