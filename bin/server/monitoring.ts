import { SearchOff, type Storage } from "#lib";
import type { ProgramProcess } from "../cli/program-process.ts";
import {
  booleanSetting,
  enumSetting,
  integerSetting,
  parseAddress,
  type SettingValues,
  stringSetting,
} from "../cli/setting.ts";
import {
  type FreeSpace,
  FreeSpaceMonitor,
  unlimitedSpace,
  withFreeSpaceCheck,
} from "../database/free-space-monitor.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { Health } from "./health.ts";
import type { Log } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** From the most lines to none. */
const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export const monitoringSettings = {
  logLevel: enumSetting(logLevels, "level of the JSON log on stderr; info logs every request", "info"),
  metricsListen: stringSetting("HOST:PORT", "address of /metrics (default: not served)"),
  logAddresses: booleanSetting("add the address of the client to the log lines of requests"),
  requestLogDays: integerSetting("N", "days to keep requests for support; 0 keeps the last ones in memory only", {
    min: 0,
    max: 365,
    preset: 7,
  }),
  minFreeMb: integerSetting("N", "MiB of disk space to keep free; below it, writes get 503 and reads still work", {
    min: 0,
    max: 10_000_000,
    preset: 64,
  }),
} as const;

type MonitoringValues = SettingValues<typeof monitoringSettings>;

/** The log and the metrics of a server. */
export type Monitoring = { readonly log: Log; readonly metrics: Metrics };

/** Opens the log, which an uncaught exception ends, and the metrics. @throws UsageError if the address is invalid */
export async function openMonitoring(values: MonitoringValues, program: ProgramProcess): Promise<Monitoring> {
  if (values.metricsListen !== undefined) parseAddress(values.metricsListen, "--metrics-listen");
  const log = (await import("./logger.ts")).openLog(values.logLevel, values.logAddresses);
  program.once("uncaughtException", (error) => {
    log.fatal(error);
    program.exit(1);
  });
  const metrics = values.metricsListen === undefined ? noMetrics : (await import("./metrics.ts")).createMetrics();
  return { log, metrics };
}

/** An open database with its health and its free disk space. */
export type MonitoredDatabase = { readonly storage: Storage; readonly health: Health; readonly freeSpace: FreeSpace };

/** Adds a database to the metrics. Returns its health, and a storage that rejects writes if the disk space is low. */
export function monitorDatabase(
  { storage, folder, name, pool, probe }: OpenDatabase,
  { minFreeMb }: MonitoringValues,
  { log, metrics }: Monitoring,
): MonitoredDatabase {
  const reads = () => storage.cursorSecret();
  const search = () =>
    storage.search(noTenant, { words: ["a"], kinds: ["account"], limit: 1 }).catch((error: unknown) => {
      if (!(error instanceof SearchOff)) throw error;
    });
  if (folder === undefined) {
    metrics.addDatabase({ file: undefined, freeSpace: undefined, pool });
    return { storage, health: new Health({ reads, writes: probe, search }), freeSpace: unlimitedSpace };
  }
  const freeSpace = new FreeSpaceMonitor(folder, minFreeMb * mebibyte, logDiskSpace(log));
  metrics.addDatabase({ file: name, freeSpace, pool });
  const health = new Health({ reads, writes: probe, search, freeSpace });
  return { storage: withFreeSpaceCheck(storage, freeSpace), health, freeSpace };
}

/** An ID that no tenant has. */
const noTenant = "00000000-0000-4000-8000-000000000000";
const mebibyte = 1024 * 1024;

/** Logs when disk space gets low and when it recovers, instead of every rejected request. */
function logDiskSpace(log: Log): (isLow: boolean, freeBytes: number) => void {
  return (isLow, bytes) => {
    const freeMb = Math.floor(bytes / mebibyte);
    if (isLow) log.warn({ freeMb }, "disk space low; rejecting writes");
    else log.info({ freeMb }, "disk space recovered; accepting writes");
  };
}

/** Metrics of a server that doesn't serve them. */
const noMetrics: Metrics = {
  type: "text/plain",
  text: async () => "",
  onRequest() {},
  onCommit() {},
  onWebhookAttempt() {},
  onWebhookPaused() {},
  addDatabase() {},
  addLimiter() {},
  addApi() {},
  addBackups() {},
  trackInFlight: (work) => work(),
};
