import { NewerSchema, type ProblemCode } from "#lib";
import { type FreeSpace, unlimitedSpace } from "../database/free-space-monitor.ts";

/** Response of a health endpoint. The JSON has no data of tenants, because the endpoint is public. */
export type HealthResponse = { readonly status: 200 | 503; readonly body: string };

export type HealthOptions = {
  /** Reads from the database. Rejects if it isn't possible. */
  readonly reads: () => Promise<unknown>;
  /** Checks whether a commit is possible. Rejects if it isn't. */
  readonly writes: () => Promise<unknown>;
  /** Searches. Rejects if it isn't possible. Search is optional, so a failure doesn't make the server unready. */
  readonly search?: () => Promise<unknown>;
  /** The disk of the database. The default has unlimited space. */
  readonly freeSpace?: FreeSpace;
  /** How long a result is cached, because the endpoint is public. The default is 1,000. */
  readonly cacheMs?: number;
  /** Time limit of a database check. The default is 2,000. */
  readonly timeoutMs?: number;
};

const reasonTexts = {
  read_failed: "Cannot read from the database.",
  write_failed: "Cannot write to the database.",
  newer_schema: "A newer version migrated the database. Replace this server.",
  stopping: "The server is stopping.",
} as const;

/** Why the server isn't ready. */
type Problem = { readonly code: ProblemCode; readonly message: string };

/** One part of the readiness. */
export type HealthCheck = {
  readonly name: "database" | "disk" | "search";
  readonly ok: boolean;
  readonly durationMs: number;
};

type State = { readonly problems: readonly Problem[]; readonly checks: readonly HealthCheck[] };

type CheckResult = "ok" | "failed" | "newerSchema";

/** Liveness and readiness of the server. */
export class Health {
  readonly #options: Required<HealthOptions>;
  #isClosing = false;
  /** Checks that have not finished, by name. */
  readonly #pending = new Map<string, Promise<CheckResult>>();
  #cached: { readonly until: number; readonly state: Promise<State> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = { freeSpace: unlimitedSpace, search: async () => {}, cacheMs: 1_000, timeoutMs: 2_000, ...options };
  }

  /** Makes `/readyz` return 503 while the server stops. */
  close(): void {
    this.#isClosing = true;
  }

  /** Returns the response of `/healthz` or `/readyz`. */
  async respond(path: "/healthz" | "/readyz"): Promise<HealthResponse> {
    if (path === "/healthz") return { status: 200, body: JSON.stringify({ status: "ok" }) };
    const { checks } = await this.#state();
    const reasons = (await this.problems()).map(({ message }) => message);
    if (reasons.length === 0) return { status: 200, body: JSON.stringify({ status: "ready", checks }) };
    return { status: 503, body: JSON.stringify({ status: "not ready", reasons, checks }) };
  }

  /** Returns why the server isn't ready, or nothing if it is. */
  async problems(): Promise<readonly Problem[]> {
    return this.#isClosing ? [problemOf("stopping")] : (await this.#state()).problems;
  }

  #state(): Promise<State> {
    const now = performance.now();
    if (this.#cached === undefined || now >= this.#cached.until) {
      this.#cached = { until: now + this.#options.cacheMs, state: this.#check() };
    }
    return this.#cached.state;
  }

  async #check(): Promise<State> {
    const { freeSpace, reads, writes, search } = this.#options;
    const minMiB = Math.round(freeSpace.minBytes / 1024 / 1024);
    const message = `Less than ${minMiB} MiB of disk space is free. Writes are rejected.`;
    const checks: HealthCheck[] = [];
    const measure = async <T>(name: HealthCheck["name"], findReason: () => T | Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const reason = await findReason();
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      checks.push({ name, ok: reason === undefined, durationMs });
      return reason;
    };
    const disk = await measure("disk", () => (freeSpace.isLow ? ({ code: "disk_low", message } as const) : undefined));
    const database = await measure("database", async () => {
      if ((await this.#result("reads", reads)) !== "ok") return problemOf("read_failed");
      const written = await this.#result("writes", writes);
      return written === "ok" ? undefined : problemOf(written === "failed" ? "write_failed" : "newer_schema");
    });
    // A database that can't be read was reported already.
    if (database?.code !== "read_failed")
      await measure("search", async () => ((await this.#result("search", search)) === "ok" ? undefined : "failed"));
    return { problems: [disk ?? [], database ?? []].flat(), checks };
  }

  /** Runs a check, which fails if it takes too long. A slow check isn't started twice: it may hold a connection. */
  async #result(name: string, work: () => Promise<unknown>): Promise<CheckResult> {
    const pending = this.#pending.get(name) ?? resultOf(work).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    const { promise: timeout, resolve } = Promise.withResolvers<CheckResult>();
    const timer = setTimeout(resolve, this.#options.timeoutMs, "failed");
    return Promise.race([pending, timeout]).finally(() => clearTimeout(timer));
  }
}

function problemOf(code: keyof typeof reasonTexts): Problem {
  return { code, message: reasonTexts[code] };
}

async function resultOf(work: () => Promise<unknown>): Promise<CheckResult> {
  try {
    await work();
    return "ok";
  } catch (error) {
    return error instanceof NewerSchema ? "newerSchema" : "failed";
  }
}
