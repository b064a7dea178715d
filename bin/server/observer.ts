import type { ApiOptions, RequestSummary, Storage } from "#lib";
import { type FetchHandler, type RunningServer, type ServerOptions, serve } from "#lib/node";
import type { CommitStats } from "#lib/sqlite";
import { Failure } from "../cli/errors.ts";
import { enumSetting, integerSetting, parseAddress, type SettingValues, stringSetting } from "../cli/setting.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { version } from "../cli/version.ts";
import type { OpenDatabase } from "../database/database.ts";
import { DiskSpaceLowError, FreeSpaceMonitor, withFreeSpaceCheck } from "../database/free-space-monitor.ts";
import { type ServedConsole, withConsole } from "./console.ts";
import { Health } from "./health.ts";
import { clientAddressReader, withHealthRoutes } from "./health-routes.ts";
import type { Log } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { listenForMetrics } from "./metrics-listener.ts";
import type { FallbackCounts } from "./rate-limiters.ts";

/** From the most lines to none. */
const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export const observerSettings = {
  logLevel: enumSetting(logLevels, "level of the JSON log on stderr; info logs every request", "info"),
  metricsListen: stringSetting("HOST:PORT", "address of /metrics (default: not served)"),
  minFreeMb: integerSetting("N", "MiB of disk space to keep free; below it, writes get 503 and reads still work", {
    min: 0,
    max: 10_000_000,
    preset: 64,
  }),
  proxies: integerSetting("N", "number of trusted proxies in front (X-Forwarded-For, X-Forwarded-Prefix)", {
    min: 0,
    max: 10,
    preset: 0,
  }),
  headersSeconds: integerSetting("N", "seconds to wait for the headers of a request", {
    min: 1,
    max: 3600,
    preset: 10,
  }),
  requestSeconds: integerSetting("N", "seconds to wait for a complete request", { min: 1, max: 3600, preset: 60 }),
  keepAliveSeconds: integerSetting("N", "seconds before an idle connection is closed", {
    min: 1,
    max: 3600,
    preset: 65,
  }),
} as const;

/** The log, health, metrics and disk space check of a server. */
export type Observer = {
  /** Receives each transaction of the storage. Undefined without metrics. */
  readonly onCommit: ((batch: CommitStats) => void) | undefined;
  /** Options of `createApi`. */
  readonly hooks: Required<Pick<ApiOptions, "logger" | "onRequest">>;
  /** Adds a database to health and metrics. Returns its storage, which rejects writes if the disk space is low. */
  attach(database: OpenDatabase): Storage;
  /** Returns why the server isn't ready, or nothing if it is. */
  problems(): Promise<readonly string[]>;
  /** Returns the free space on the disk of the database. Undefined if it is unknown. */
  freeBytes(): number | undefined;
  warn(message: string): void;
  /** Adds the metrics of a rate limiter in Redis. */
  watchLimiter(counts: () => FallbackCounts): void;
  /** Serves the API with the health endpoints, the console, and metrics if enabled. */
  serve(api: FetchHandler, console: ServedConsole | undefined, options: ServerOptions): Promise<RunningServer>;
  /** Waits until the log is written. Call it last. */
  close(): Promise<void>;
};

/** `countRequest` is called for each request. */
export async function createObserver(
  values: SettingValues<typeof observerSettings> & { readonly listen: string },
  countRequest: (summary: RequestSummary) => void,
): Promise<Observer> {
  const listen =
    values.metricsListen === undefined ? undefined : parseAddress(values.metricsListen, "--metrics-listen");
  const log = (await import("./logger.ts")).openLog(values.logLevel);
  process.once("uncaughtException", (error) => {
    log.fatal(error);
    process.exit(1);
  });
  const health = new Health();
  let freeSpace: FreeSpaceMonitor | undefined;
  const metrics = listen && (await import("./metrics.ts")).createMetrics();
  return {
    onCommit: metrics?.onCommit,
    hooks: {
      logger: { error: (fields, message) => fields.err instanceof DiskSpaceLowError || log.error(fields, message) },
      onRequest: (summary) => {
        log.request(summary);
        countRequest(summary);
        metrics?.onRequest(summary);
      },
    },
    problems: () => health.problems(),
    freeBytes: () => freeSpace?.freeBytes,
    attach({ storage, folder, name, pool, probe }) {
      freeSpace =
        folder === undefined ? undefined : new FreeSpaceMonitor(folder, values.minFreeMb * mebibyte, logDiskSpace(log));
      const guarded = freeSpace === undefined ? storage : withFreeSpaceCheck(storage, freeSpace);
      health.watch({ storage, probe }, freeSpace);
      metrics?.watchDatabase({ file: folder === undefined ? undefined : name, freeSpace, pool });
      return guarded;
    },
    warn: (message) => log.warn({}, message),
    watchLimiter: (counts) => metrics?.watchLimiter(counts),
    async serve(api, console, options) {
      const routes = withHealthRoutes(
        metrics === undefined ? api : withMetrics(api, metrics),
        health,
        console !== undefined,
      );
      const handler = withConsole(routes, console);
      const remoteAddress = clientAddressReader(values.proxies);
      const server = await assertListens(
        "--listen",
        values.listen,
        serve(handler, {
          ...timeoutsOf(values),
          ...(remoteAddress === undefined ? {} : { remoteAddress }),
          ...options,
        }),
      );
      const listener =
        metrics &&
        (await assertListens("--metrics-listen", values.metricsListen, listenForMetrics(metrics, health, listen)));
      log.info({ url: server.url, metricsUrl: listener?.url, version, pid: process.pid }, "serving");
      if (process.getuid?.() === 0) log.warn({}, rootWarning);
      const close = async (): Promise<void> => {
        health.close();
        log.info({}, "stopping");
        await server.close();
        listener?.close();
      };
      return { ...server, close };
    },
    close: () => log.close(),
  };
}

const mebibyte = 1024 * 1024;
const rootWarning = "running as root; use a dedicated user (`crm-integrations service` prints a systemd unit)";

/** Logs when disk space gets low and when it recovers, instead of every rejected request. */
function logDiskSpace(log: Log): (isLow: boolean, freeBytes: number) => void {
  return (isLow, bytes) => {
    const freeMb = Math.floor(bytes / mebibyte);
    if (isLow) log.warn({ freeMb }, "disk space low; rejecting writes");
    else log.info({ freeMb }, "disk space recovered; accepting writes");
  };
}

/** @throws Failure if the address of the setting can't be used, such as a port of another program */
async function assertListens<T>(flag: string, address: string | undefined, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall !== "listen" && syscall !== "getaddrinfo") throw error;
    const remedy = `Choose another address with ${flag}. Port 0 selects a free port.`;
    throw new Failure(`Cannot listen on ${address}: ${systemErrorReason(error)}. ${remedy}`);
  }
}

function withMetrics(api: FetchHandler, metrics: Metrics): FetchHandler {
  return { fetch: (request, env) => metrics.trackInFlight(async () => api.fetch(request, env)) };
}

function timeoutsOf(values: SettingValues<typeof observerSettings>) {
  return {
    headersTimeoutMs: values.headersSeconds * 1000,
    requestTimeoutMs: values.requestSeconds * 1000,
    keepAliveTimeoutMs: values.keepAliveSeconds * 1000,
  };
}
