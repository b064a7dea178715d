import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { planCommits, type QueuedCommit } from "./commit-plan.ts";
import { withConnection } from "./connection.ts";
import { commitPipelined } from "./pipelined-commit.ts";
import { isRejectedWrite, toStorageError } from "./storage-errors.ts";
import { commitInSteps, oneByOne } from "./transaction.ts";

type RunRound = Parameters<typeof commitInSteps>[3];
type Job = QueuedCommit & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** A transaction that was made: the commits that shared it, none of which was refused, and its time from a connection on. */
export type CommitBatch = { readonly commits: number; readonly refused: number; readonly durationMs: number };

/** More commits than this do not share one transaction: while it runs, those of other servers wait. */
const batchSizeMax = 64;
/** Where a tenant's clock stood after this process' last commit, and how many times in a row that was known before. */
type Clock = { readonly reached: number; readonly known: number };

/** Where other servers write too, a guess costs more often than it gains: after a wrong one so many must have been right. */
const knownMin = 4;

/** Tenants whose clock is remembered at a time. */
const clocksMax = 20_000;

/**
 * The commits of this process, tenant by tenant in the order in which they came: they would wait for each other in the
 * database anyway, each with a connection. Those that wait together share one transaction and one fsync; where one of
 * them is refused, each is made alone.
 */
export class CommitQueue {
  readonly #pool: Pool;
  readonly #onCommit: ((batch: CommitBatch) => void) | undefined;
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #clocks = new LRUCache<string, Clock>({ max: clocksMax });

  constructor(pool: Pool, onCommit?: (batch: CommitBatch) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  /** Resolves once the commit is durable. */
  add(tenant: string, proposal: QueuedCommit): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = { ...proposal, resolve, reject };
      const waiting = this.#waiting.get(tenant);
      if (waiting !== undefined) return void waiting.push(job);
      this.#waiting.set(tenant, [job]);
      const running = this.#run(tenant).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** Resolves once nothing is waiting. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(tenant: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(tenant)?.splice(0, batchSizeMax) ?? [];
      if (batch.length === 0) break;
      if (batch.length === 1 || !(await this.#commitBatch(tenant, batch))) {
        for (const job of batch) await this.#commitOne(tenant, job);
      }
    }
    this.#waiting.delete(tenant);
  }

  /** Whether all are over: made, or refused because the place is at fault. Otherwise nothing happened. */
  async #commitBatch(tenant: string, batch: readonly Job[]): Promise<boolean> {
    const outcome = await this.#transact(tenant, batch);
    if (outcome === undefined) for (const job of batch) job.resolve();
    else if (outcome.isFinal) for (const job of batch) job.reject(outcome.error);
    return outcome === undefined || outcome.isFinal;
  }

  /** Once more where it is refused, to learn by which write; what was in the way may be gone by then. */
  async #commitOne(tenant: string, job: Job): Promise<void> {
    const first = await this.#transact(tenant, [job]);
    const outcome =
      first !== undefined && isRejectedWrite(first.error) ? await this.#transact(tenant, [job], oneByOne) : first;
    if (outcome === undefined) job.resolve();
    else job.reject(outcome.error);
  }

  /** What went wrong, if anything did; over it is where another try now would end no better. */
  async #transact(
    tenant: string,
    proposals: readonly QueuedCommit[],
    runRound?: RunRound,
  ): Promise<{ readonly error: unknown; readonly isFinal: boolean } | undefined> {
    let refusal: { readonly error: unknown } | undefined;
    const guarded = proposals.map(({ now, propose }) => ({
      now,
      propose(at: number) {
        try {
          return propose(at);
        } catch (error) {
          refusal = { error };
          throw error;
        }
      },
    }));
    try {
      const { reached, known } = this.#clocks.get(tenant) ?? { reached: 0, known: Number.POSITIVE_INFINITY };
      const plan = planCommits(reached, guarded);
      if (plan.writes.length === 0) return undefined;
      const since = performance.now();
      const isGuessed = runRound === undefined && known >= knownMin;
      const made = await withConnection(this.#pool, async (client) => {
        const outcome =
          isGuessed && client.pipeline === true ? await commitPipelined(client, tenant, plan) : "retry_in_steps";
        return outcome === "retry_in_steps" ? commitInSteps(client, tenant, guarded, runRound) : outcome;
      });
      if (typeof made !== "number") throw made.refusal;
      this.#clocks.set(tenant, { reached: made, known: made === plan.finalClock ? known + 1 : 0 });
      this.#onCommit?.({ commits: proposals.length, refused: 0, durationMs: performance.now() - since });
      return undefined;
    } catch (error) {
      if (refusal !== undefined) return { error: refusal.error, isFinal: false };
      const fault = toStorageError(error);
      return { error: fault, isFinal: fault !== error };
    }
  }
}
