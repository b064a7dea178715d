import { statSync } from "node:fs";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RequestSummary } from "#lib";
import type { CommitBatch } from "#lib/sqlite";
import { version } from "../cli/version.ts";
import type { PoolCounts } from "../database/database.ts";
import type { DiskFloor } from "../database/disk-floor.ts";
import type { LimiterCounts } from "./limiter.ts";

/** What is counted and measured, in the text form of Prometheus. Nothing in it names a tenant or a caller. */
export type Metrics = {
  onRequest(summary: RequestSummary): void;
  onCommit(batch: CommitBatch): void;
  /** Counts the work as under way until it ends. */
  underWay<T>(work: () => Promise<T>): Promise<T>;
  /** Measures this database from now on. */
  watch(place: WatchedPlace): void;
  /** Measures from now on whether this server counts requests alone. */
  watchLimits(counts: () => LimiterCounts): void;
  readonly type: string;
  text(): Promise<string>;
};

/** What is known of a database: its file and disk, or its connections. */
export type WatchedPlace = {
  readonly file: string | undefined;
  readonly floor: DiskFloor | undefined;
  readonly pool: (() => PoolCounts) | undefined;
};

type Naming = <const L extends string>(
  name: string,
  help: string,
  labelNames?: readonly L[],
) => { name: string; help: string; labelNames: L[]; registers: Registry[] };

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128];
/** How often the delay of the event loop is looked at: more often would keep an idle processor awake. */
const loopLookMs = 20;

export function newMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopLookMs });
  const named: Naming = (name, help, labelNames = []) => {
    return { name: `crm_${name}`, help, labelNames: [...labelNames], registers };
  };
  const requests = new Counter(
    named("requests_total", "Requests by operation and class of status", ["operation", "status"]),
  );
  const durations = new Histogram({
    ...named("request_duration_seconds", "From a request handed over to its answer made", ["operation"]),
    buckets: durationBuckets,
  });
  const limited = new Counter(named("rate_limited_total", "Requests answered 429, by whose rate it was", ["by"]));
  for (const by of ["key", "address"]) limited.inc({ by }, 0);
  const replays = new Counter(named("replays_total", "Earlier answers given again for an Idempotency-Key"));
  const inFlight = new Gauge(named("requests_in_flight", "Requests that have no answer yet"));
  const batches = new Histogram({
    ...named("commit_batch_size", "Commits that shared one transaction and one sync"),
    buckets: batchBuckets,
  });
  const commits = new Histogram({
    ...named("commit_duration_seconds", "A transaction with its sync"),
    buckets: durationBuckets,
  });
  new Gauge(named("info", "The version that runs", ["version"])).set({ version }, 1);
  const measure = (name: string, help: string, ask: () => number) =>
    new Gauge({
      ...named(name, help),
      collect() {
        this.set(ask());
      },
    });
  return {
    type: register.contentType,
    text: () => register.metrics(),
    watch({ file, floor, pool }) {
      if (file !== undefined) {
        measure("database_bytes", "The size of the database file", () => sizeOf(file));
        measure("wal_bytes", "The size of its log, which is moved into it from time to time", () =>
          sizeOf(`${file}-wal`),
        );
      }
      if (floor !== undefined) measure("disk_free_bytes", "Free space of the database's disk", () => floor.freeBytes);
      if (pool !== undefined) measurePool(named, pool);
    },
    watchLimits(counts) {
      measure("limiter_alone", "1 while Redis does not answer and this server counts requests alone", () =>
        Number(counts().alone),
      );
      measure("limiter_fallbacks", "Requests counted alone since the start", () => counts().fallbacks);
    },
    onRequest({ operation, status, code, keyId, userId, replayed, durationMs }) {
      const name = operation ?? "none";
      requests.inc({ operation: name, status: `${Math.floor(status / 100)}xx` });
      durations.observe({ operation: name }, durationMs / 1000);
      if (replayed) replays.inc();
      if (code === "rate_limited") limited.inc({ by: keyId === null && userId === null ? "address" : "key" });
    },
    onCommit(batch) {
      batches.observe(batch.commits);
      commits.observe(batch.durationMs / 1000);
    },
    async underWay(work) {
      inFlight.inc();
      return work().finally(() => inFlight.dec());
    },
  };
}

/** Connections to PostgreSQL, those at work and those that wait for work, and the requests that wait for one. */
function measurePool(named: Naming, pool: () => PoolCounts): void {
  new Gauge({
    ...named("database_connections", "Connections to PostgreSQL by what they do", ["state"]),
    collect() {
      const { total, idle } = pool();
      this.set({ state: "busy" }, total - idle);
      this.set({ state: "idle" }, idle);
    },
  });
  new Gauge({
    ...named("database_waiting", "Requests that wait for a connection to PostgreSQL"),
    collect() {
      this.set(pool().waiting);
    },
  });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
