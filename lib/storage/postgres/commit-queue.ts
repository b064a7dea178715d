import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { withConnection } from "./connection.ts";
import { commitPipelined } from "./pipelined-commit.ts";
import { isRejectedWrite, toStorageUnavailable } from "./storage-errors.ts";
import { commitInSteps, planCommits, type QueuedCommit, runReportingFirstError } from "./transaction.ts";

type RunBatch = Parameters<typeof commitInSteps>[3];
type Job = QueuedCommit & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** The number of commits and the duration of a successful transaction. */
export type CommitStats = { readonly commits: number; readonly durationMs: number };

/** Maximum number of commits per transaction. Commits of other servers wait until it ends. */
const maxBatchSize = 64;

/** The tenant clock after the last commit, and the number of commits in a row that found it unchanged. */
type KnownClock = { readonly time: number; readonly unchangedCount: number };
const unknownClock: KnownClock = { time: 0, unchangedCount: Number.POSITIVE_INFINITY };

/**
 * After a wrong guess of the tenant clock, number of commits that must find the clock unchanged before the next guess.
 * If other servers write to the tenant, a wrong guess costs a round trip.
 */
const minUnchangedCount = 4;

/** Number of tenants whose clock is cached. */
const maxCachedClocks = 20_000;

/**
 * Commits of this process, in order per tenant. Commits that wait for the same tenant share a transaction and an
 * fsync. If one of them is rejected, each gets its own transaction.
 */
export class CommitQueue {
  readonly #pool: Pool;
  readonly #onCommit: ((batch: CommitStats) => void) | undefined;
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #clocks = new LRUCache<string, KnownClock>({ max: maxCachedClocks });

  constructor(pool: Pool, onCommit?: (batch: CommitStats) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  /** Resolves when the commit is durable. */
  add(tenant: string, commit: QueuedCommit): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = { ...commit, resolve, reject };
      const waiting = this.#waiting.get(tenant);
      if (waiting !== undefined) return void waiting.push(job);
      this.#waiting.set(tenant, [job]);
      const running = this.#run(tenant).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(tenant: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(tenant)?.splice(0, maxBatchSize) ?? [];
      if (batch.length === 0) break;
      if (batch.length === 1 || !(await this.#commitBatch(tenant, batch))) {
        for (const job of batch) await this.#commitOne(tenant, job);
      }
    }
    this.#waiting.delete(tenant);
  }

  /** Returns `false` if nothing was committed and each job should be tried alone. Otherwise all jobs are settled. */
  async #commitBatch(tenant: string, batch: readonly Job[]): Promise<boolean> {
    const failure = await this.#transact(tenant, batch);
    if (failure === undefined) for (const job of batch) job.resolve();
    else if (failure.isUnavailable) for (const job of batch) job.reject(failure.error);
    return failure === undefined || failure.isUnavailable;
  }

  /** Repeats a rejected commit write by write, to report the first write that fails. The repetition may succeed. */
  async #commitOne(tenant: string, job: Job): Promise<void> {
    const first = await this.#transact(tenant, [job]);
    const failure =
      first !== undefined && isRejectedWrite(first.error)
        ? await this.#transact(tenant, [job], runReportingFirstError)
        : first;
    if (failure === undefined) job.resolve();
    else job.reject(failure.error);
  }

  /** Runs commits in one transaction. Returns the error if it failed, and whether the database was unavailable. */
  async #transact(
    tenant: string,
    commits: readonly QueuedCommit[],
    runBatch?: RunBatch,
  ): Promise<{ readonly error: unknown; readonly isUnavailable: boolean } | undefined> {
    // An error of a proposal must reach the caller unchanged, even if it looks like an error of the driver.
    let thrown: { readonly error: unknown } | undefined;
    const guarded = commits.map(({ now, propose }) => ({
      now,
      propose(at: number) {
        try {
          return propose(at);
        } catch (error) {
          thrown = { error };
          throw error;
        }
      },
    }));
    try {
      const { time, unchangedCount } = this.#clocks.get(tenant) ?? unknownClock;
      const plan = planCommits(time, guarded);
      if (plan.writes.length === 0) return undefined;
      const since = performance.now();
      const isGuessed = runBatch === undefined && unchangedCount >= minUnchangedCount;
      const outcome = await withConnection(this.#pool, async (client) => {
        const pipelined =
          isGuessed && client.pipeline === true ? await commitPipelined(client, tenant, plan) : "retry_in_steps";
        return pipelined === "retry_in_steps" ? commitInSteps(client, tenant, guarded, runBatch) : pipelined;
      });
      if (typeof outcome !== "number") throw outcome.rejection;
      const isUnchanged = outcome === plan.finalClock;
      this.#clocks.set(tenant, { time: outcome, unchangedCount: isUnchanged ? unchangedCount + 1 : 0 });
      this.#onCommit?.({ commits: commits.length, durationMs: performance.now() - since });
      return undefined;
    } catch (error) {
      if (thrown !== undefined) return { error: thrown.error, isUnavailable: false };
      const storageError = toStorageUnavailable(error);
      return { error: storageError, isUnavailable: storageError !== error };
    }
  }
}
