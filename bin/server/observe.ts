import type { ApiOptions, Storage } from "#lib";
import { type FetchHandler, type RunningServer, type ServerOptions, serve } from "#lib/node";
import type { CommitBatch } from "#lib/sqlite";
import { enumSetting, integerSetting, stringSetting, type Values } from "../cli/setting.ts";
import { version } from "../cli/version.ts";
import type { OpenDatabase } from "../database/database.ts";
import { DiskFloor, DiskSpaceLow, withDiskFloor } from "../database/disk-floor.ts";
import { addressOf } from "./address.ts";
import { Health } from "./health.ts";
import { addressBehind, withOwnRoutes } from "./health-routes.ts";
import type { LimiterCounts } from "./limiter.ts";
import { logLevels } from "./log-levels.ts";
import type { Log } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { listenForMetrics } from "./metrics-listener.ts";

/** How whoever runs the program sees what it does, and what it does when it gets tight. */
export const observeSettings = {
  logLevel: enumSetting(logLevels, "lines of JSON on stderr; info has one for each request", "info"),
  metricsListen: stringSetting("HOST:PORT", "where to serve /metrics (nowhere if not said)"),
  minFreeMb: integerSetting("N", "MiB of the disk that stay free: with less, writes get 503 and reads go on", {
    min: 0,
    max: 10_000_000,
    preset: 64,
  }),
  proxies: integerSetting("N", "proxies in front whose X-Forwarded-For is believed", { min: 0, max: 10, preset: 0 }),
  headersSeconds: integerSetting("N", "how long a request's headers may take", { min: 1, max: 3600, preset: 10 }),
  requestSeconds: integerSetting("N", "how long a whole request may take", { min: 1, max: 3600, preset: 60 }),
  keepAliveSeconds: integerSetting("N", "how long a connection may be idle", { min: 1, max: 3600, preset: 65 }),
} as const;

/** Log, health, metrics and what must stay free on the disk, around one program that serves. */
export type Observer = {
  /** For the storage: told of each transaction. Undefined where nobody asks. */
  readonly onCommit: ((batch: CommitBatch) => void) | undefined;
  /** For the API. */
  readonly hooks: Required<Pick<ApiOptions, "logger" | "onRequest">>;
  /** The storage of this database, which writes only while there is room, and is looked at from now on. */
  over(database: OpenDatabase): Storage;
  /** Logs a warning. */
  warn(message: string): void;
  /** Measures from now on how requests are counted. */
  watchLimits(counts: () => LimiterCounts): void;
  /** Serves the API with health before it and, where it was asked for, metrics beside it. */
  serve(api: FetchHandler, options: ServerOptions): Promise<RunningServer>;
  /** The last thing of all: what was logged is written. */
  close(): Promise<void>;
};

export async function observe(values: Values<typeof observeSettings>): Promise<Observer> {
  const listen = values.metricsListen === undefined ? undefined : addressOf(values.metricsListen, "--metrics-listen");
  const log = (await import("./logger.ts")).openLog(values.logLevel);
  process.once("uncaughtException", (error) => {
    log.fatal(error);
    process.exit(1);
  });
  const health = new Health();
  const metrics = listen && (await import("./metrics.ts")).newMetrics();
  return {
    onCommit: metrics?.onCommit,
    hooks: {
      logger: { error: (fields, message) => isTold(fields.err) || log.error(fields, message) },
      onRequest: (summary) => {
        log.request(summary);
        metrics?.onRequest(summary);
      },
    },
    over({ storage, folder, name, pool, probe }) {
      const floor =
        folder === undefined ? undefined : new DiskFloor(folder, values.minFreeMb * mebibyte, tellOfSpace(log));
      const guarded = floor === undefined ? storage : withDiskFloor(storage, floor);
      health.watch({ storage, probe }, floor);
      metrics?.watch({ file: folder === undefined ? undefined : name, floor, pool });
      return guarded;
    },
    warn: (message) => log.warn({}, message),
    watchLimits: (counts) => metrics?.watchLimits(counts),
    async serve(api, options) {
      const handler = withOwnRoutes(metrics === undefined ? api : counted(api, metrics), health);
      const remoteAddress = addressBehind(values.proxies);
      const server = await serve(handler, {
        ...timeoutsOf(values),
        ...(remoteAddress === undefined ? {} : { remoteAddress }),
        ...options,
      });
      const listener = metrics && (await listenForMetrics(metrics, health, listen));
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
const rootWarning =
  "This runs as root. Let it run as a user of its own, who can read nothing else: `crm-integrations service` prints a unit.";

/** One line when space gets short and one when there is enough again, in place of one for each refused request. */
function tellOfSpace(log: Log): (isLow: boolean, freeBytes: number) => void {
  return (isLow, bytes) => {
    const freeMb = Math.floor(bytes / mebibyte);
    if (isLow) log.warn({ freeMb }, "the disk is nearly full: writes are refused, reads go on");
    else log.info({ freeMb }, "the disk has room again: writes go on");
  };
}

function isTold(error: unknown): boolean {
  return error instanceof DiskSpaceLow;
}

function counted(api: FetchHandler, metrics: Metrics): FetchHandler {
  return { fetch: (request, env) => metrics.underWay(async () => api.fetch(request, env)) };
}

function timeoutsOf(values: Values<typeof observeSettings>) {
  return {
    headersTimeoutMs: values.headersSeconds * 1000,
    requestTimeoutMs: values.requestSeconds * 1000,
    keepAliveTimeoutMs: values.keepAliveSeconds * 1000,
  };
}
