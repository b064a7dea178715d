import type { OpenDatabase } from "../database/database.ts";
import type { FreeSpaceMonitor } from "../database/free-space-monitor.ts";

/** Response of a health endpoint. The JSON has no data of tenants, because the endpoint is public. */
export type HealthResponse = { readonly status: 200 | 503; readonly body: string };

export type HealthOptions = {
  /** How long a result is cached, because the endpoint is public. The default is 1,000. */
  readonly cacheMs?: number;
  /** Time limit of a database check. The default is 2,000. */
  readonly timeoutMs?: number;
};

const reasonTexts = {
  reads: "Cannot read from the database.",
  writes: "Cannot write to the database.",
  closing: "The server is stopping.",
} as const;

/** The parts of a database that a health check uses. */
export type WatchedDatabase = Pick<OpenDatabase, "storage" | "probe">;

/** Liveness and readiness of the server. */
export class Health {
  readonly #cacheMs: number;
  readonly #timeoutMs: number;
  #database: WatchedDatabase | undefined;
  #freeSpace: FreeSpaceMonitor | undefined;
  #isClosing = false;
  /** Checks that have not finished, by name. */
  readonly #pending = new Map<string, Promise<boolean>>();
  #cached: { readonly until: number; readonly reasons: Promise<readonly string[]> } | undefined;

  constructor({ cacheMs = 1_000, timeoutMs = 2_000 }: HealthOptions = {}) {
    this.#cacheMs = cacheMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Sets the database, and its disk if known, that `/readyz` checks. */
  watch(database: WatchedDatabase, freeSpace: FreeSpaceMonitor | undefined): void {
    this.#database = database;
    this.#freeSpace = freeSpace;
  }

  /** Makes `/readyz` return 503 while the server stops. */
  close(): void {
    this.#isClosing = true;
  }

  /** Returns the response of `/healthz` or `/readyz`. */
  async respond(path: "/healthz" | "/readyz"): Promise<HealthResponse> {
    if (path === "/healthz") return { status: 200, body: JSON.stringify({ status: "ok" }) };
    const reasons = await this.problems();
    if (reasons.length === 0) return { status: 200, body: JSON.stringify({ status: "ready" }) };
    return { status: 503, body: JSON.stringify({ status: "not ready", reasons }) };
  }

  /** Returns why the server isn't ready, or nothing if it is. */
  async problems(): Promise<readonly string[]> {
    return this.#isClosing ? [reasonTexts.closing] : this.#reasons();
  }

  #reasons(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#cached === undefined || now >= this.#cached.until) {
      this.#cached = { until: now + this.#cacheMs, reasons: this.#check() };
    }
    return this.#cached.reasons;
  }

  async #check(): Promise<readonly string[]> {
    const minMiB = Math.round((this.#freeSpace?.minBytes ?? 0) / 1024 / 1024);
    const disk =
      this.#freeSpace?.isLow === true ? [`Less than ${minMiB} MiB of disk space is free. Writes are rejected.`] : [];
    const database = this.#database;
    if (database === undefined) return disk;
    const reads = await this.#succeeds("reads", () => database.storage.cursorSecret());
    if (!reads) return [...disk, reasonTexts.reads];
    const writes = await this.#succeeds("writes", () => database.probe());
    return writes ? disk : [...disk, reasonTexts.writes];
  }

  /** Returns whether the check succeeds in time. A slow check isn't started twice: it may hold a connection. */
  async #succeeds(name: string, work: () => Promise<unknown>): Promise<boolean> {
    const pending = this.#pending.get(name) ?? isFulfilled(work).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    const { promise: timeout, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, this.#timeoutMs, false);
    return Promise.race([pending, timeout]).finally(() => clearTimeout(timer));
  }
}

async function isFulfilled(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
