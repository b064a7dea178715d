import { type FreeSpace, unlimitedSpace } from "../database/free-space-monitor.ts";

/** Response of a health endpoint. The JSON has no data of tenants, because the endpoint is public. */
export type HealthResponse = { readonly status: 200 | 503; readonly body: string };

export type HealthOptions = {
  /** Reads from the database. Rejects if it isn't possible. */
  readonly reads: () => Promise<unknown>;
  /** Checks whether a commit is possible. Rejects if it isn't. */
  readonly writes: () => Promise<unknown>;
  /** The disk of the database. The default has unlimited space. */
  readonly freeSpace?: FreeSpace;
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

/** Liveness and readiness of the server. */
export class Health {
  readonly #options: Required<HealthOptions>;
  #isClosing = false;
  /** Checks that have not finished, by name. */
  readonly #pending = new Map<string, Promise<boolean>>();
  #cached: { readonly until: number; readonly reasons: Promise<readonly string[]> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = { freeSpace: unlimitedSpace, cacheMs: 1_000, timeoutMs: 2_000, ...options };
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
      this.#cached = { until: now + this.#options.cacheMs, reasons: this.#check() };
    }
    return this.#cached.reasons;
  }

  async #check(): Promise<readonly string[]> {
    const { freeSpace, reads, writes } = this.#options;
    const minMiB = Math.round(freeSpace.minBytes / 1024 / 1024);
    const disk = freeSpace.isLow ? [`Less than ${minMiB} MiB of disk space is free. Writes are rejected.`] : [];
    if (!(await this.#succeeds("reads", reads))) return [...disk, reasonTexts.reads];
    return (await this.#succeeds("writes", writes)) ? disk : [...disk, reasonTexts.writes];
  }

  /** Returns whether the check succeeds in time. A slow check isn't started twice: it may hold a connection. */
  async #succeeds(name: string, work: () => Promise<unknown>): Promise<boolean> {
    const pending = this.#pending.get(name) ?? isFulfilled(work).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    const { promise: timeout, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, this.#options.timeoutMs, false);
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
