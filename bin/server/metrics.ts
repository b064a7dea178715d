import { statSync } from "node:fs";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Api, AttemptSummary, BackupStatus, RequestSummary } from "#lib";
import type { CommitStats } from "#lib/sqlite";
import { commit, version } from "../cli/version.ts";
import type { FreeSpaceMonitor } from "../database/free-space-monitor.ts";
import type { PoolCounts } from "../database/open-database.ts";
import type { FallbackCounts } from "./rate-limiters.ts";

/** Metrics in the Prometheus text format. No metric identifies a tenant or a caller. */
export type Metrics = {
  onRequest(summary: RequestSummary): void;
  onCommit(batch: CommitStats): void;
  onWebhookAttempt(attempt: AttemptSummary): void;
  onWebhookPaused(webhook: { readonly pausedReason: string }): void;
  /** Counts the work as in flight until it ends. */
  trackInFlight<T>(work: () => Promise<T>): Promise<T>;
  /** Adds the metrics of a database. */
  addDatabase(database: MeasuredDatabase): void;
  /** Adds the counts of an API. */
  addApi(counts: Api["counts"]): void;
  /** Adds the metrics of backups. */
  addBackups(status: () => BackupStatus): void;
  /** Adds the metrics of a rate limiter in Redis. */
  addLimiter(counts: () => FallbackCounts): void;
  readonly type: string;
  text(): Promise<string>;
};

/** The parts of a database that are measured: its file and disk, or its connections. */
export type MeasuredDatabase = {
  readonly file: string | undefined;
  readonly freeSpace: FreeSpaceMonitor | undefined;
  readonly pool: (() => PoolCounts) | undefined;
};

type MetricOptions = <const L extends string>(
  name: string,
  help: string,
  labelNames?: readonly L[],
) => { name: string; help: string; labelNames: L[]; registers: Registry[] };

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** An event can wait for days until its receiver works again. */
const delayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 3_600, 86_400];
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128];
/** Sampling interval of the event loop delay. A shorter one keeps an idle processor awake. */
const eventLoopSampleMs = 20;

export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: eventLoopSampleMs });
  const metric: MetricOptions = (name, help, labelNames = []) => {
    return { name: `crm_${name}`, help, labelNames: [...labelNames], registers };
  };
  const requests = new Counter(
    metric("requests_total", "Requests by operation and status class", ["operation", "status"]),
  );
  const durations = new Histogram({
    ...metric("request_duration_seconds", "Time from receiving a request to creating its response", [
      "operation",
      "method",
    ]),
    buckets: durationBuckets,
  });
  const limited = new Counter(
    metric("rate_limited_total", "Requests rejected with 429, by API key or client address", ["by"]),
  );
  for (const by of ["key", "address"]) limited.inc({ by }, 0);
  const replays = new Counter(metric("replays_total", "Responses replayed for an Idempotency-Key"));
  const inFlight = new Gauge(metric("requests_in_flight", "Requests without a response yet"));
  const batches = new Histogram({
    ...metric("commit_batch_size", "Commits per transaction"),
    buckets: batchBuckets,
  });
  const commits = new Histogram({
    ...metric("commit_duration_seconds", "Duration of a transaction including its fsync"),
    buckets: durationBuckets,
  });
  const webhookAttempts = new Counter(
    metric("webhook_attempts_total", "Webhook messages by status class of the response", ["status"]),
  );
  const webhookDelays = new Histogram({
    ...metric("webhook_delay_seconds", "Time from the commit of an event to its delivery"),
    buckets: delayBuckets,
  });
  const webhookPauses = new Counter(metric("webhooks_paused_total", "Webhooks that the server paused", ["reason"]));
  new Gauge(metric("info", "Version and commit of the program", ["version", "commit"])).set(
    { version, commit: commit ?? "unknown" },
    1,
  );
  const measure = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...metric(name, help),
      collect() {
        this.set(read());
      },
    });
  return {
    type: register.contentType,
    text: () => register.metrics(),
    addDatabase({ file, freeSpace, pool }) {
      if (file !== undefined) {
        measure("database_bytes", "Size of the database file", () => sizeOf(file));
        measure("wal_bytes", "Size of the write-ahead log", () => sizeOf(`${file}-wal`));
      }
      if (freeSpace !== undefined)
        measure("disk_free_bytes", "Free space on the disk of the database", () => freeSpace.freeBytes);
      if (pool !== undefined) measurePool(metric, pool);
    },
    addLimiter(counts) {
      measure(
        "limiter_fallback_active",
        "1 while Redis is not responding and requests are counted in this process only",
        () => Number(counts().isFallbackActive),
      );
      measure("limiter_fallbacks", "Requests counted without Redis since the start", () => counts().fallbacks);
    },
    addApi: (counts) => measureApi(metric, measure, counts),
    addBackups(status) {
      measure("backup_age_seconds", "Age of the last backup. +Inf if there is none", () => {
        const { lastAt } = status();
        return lastAt === null ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - lastAt) / 1000;
      });
      measure("backup_failed", "1 if the last backup failed", () => Number(status().error !== null));
    },
    onRequest({ method, operation, status, code, keyId, userId, replayed, durationMs }) {
      const name = operation ?? "none";
      requests.inc({ operation: name, status: `${Math.floor(status / 100)}xx` });
      durations.observe({ operation: name, method: knownMethod(method) }, durationMs / 1000);
      if (replayed) replays.inc();
      if (code === "rate_limited") limited.inc({ by: keyId === null && userId === null ? "address" : "key" });
    },
    onWebhookAttempt({ status, delayMs }) {
      const result = status === null ? "error" : `${Math.floor(status / 100)}xx`;
      webhookAttempts.inc({ status: result });
      if (result === "2xx") webhookDelays.observe(delayMs / 1000);
    },
    onWebhookPaused({ pausedReason: reason }) {
      webhookPauses.inc({ reason });
    },
    onCommit(batch) {
      batches.observe(batch.commits);
      commits.observe(batch.durationMs / 1000);
    },
    async trackInFlight(work) {
      inFlight.inc();
      return work().finally(() => inFlight.dec());
    },
  };
}

/** The methods that a client can choose are a closed set, so that it can't add series. */
function knownMethod(method: string): string {
  return ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"].includes(method) ? method : "other";
}

type Measure = (name: string, help: string, read: () => number) => unknown;

function measureApi(metric: MetricOptions, measure: Measure, counts: Api["counts"]): void {
  /** Adds a counter whose values the API counts. */
  const count = (name: string, help: string, label: string | undefined, read: () => Readonly<Record<string, number>>) =>
    new Counter({
      ...metric(name, help, label === undefined ? [] : [label]),
      collect() {
        this.reset();
        for (const [value, total] of Object.entries(read()))
          this.inc(label === undefined ? {} : { [label]: value }, total);
      },
    });
  count(
    "commit_conflicts_total",
    "Write conflicts after which a request ran again",
    "reason",
    () => counts().commitConflicts,
  );
  count(
    "settings_cache_total",
    "Reads of settings, from memory (hit) or the database (miss)",
    "result",
    () => counts().settingsCache,
  );
  count("events_total", "Events by the kind of their records", "kind", () => counts().events);
  count("storage_unavailable_total", "Responses with 503 because of the database", undefined, () => {
    return { all: counts().storageUnavailable };
  });
  count("request_log_dropped_total", "Entries that the request log couldn't store", undefined, () => {
    return { all: counts().requestLogDropped };
  });
  measure("waiting_requests", "Requests that wait for a commit", () => counts().waitingRequests);
  new Gauge({
    ...metric("webhooks", "Webhooks that this server delivers, by state", ["state"]),
    collect() {
      this.reset();
      for (const [state, total] of Object.entries(counts().delivery?.webhooks ?? {})) this.set({ state }, total);
    },
  });
  measure(
    "webhook_lag_seconds",
    "Age of the oldest event that waits for a webhook",
    () => (counts().delivery?.lagMs ?? 0) / 1000,
  );
  measure("unsent_bytes", "Bytes of large responses that clients haven't read yet", () => counts().unsentBytes);
}

function measurePool(metric: MetricOptions, pool: () => PoolCounts): void {
  new Gauge({
    ...metric("database_connections", "Connections to PostgreSQL by state", ["state"]),
    collect() {
      const { total, idle } = pool();
      this.set({ state: "busy" }, total - idle);
      this.set({ state: "idle" }, idle);
    },
  });
  new Gauge({
    ...metric("database_waiting", "Requests waiting for a connection to PostgreSQL"),
    collect() {
      this.set(pool().waiting);
    },
  });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
