import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { commitAtOnce } from "./at-once.ts";
import { onConnection } from "./connection.ts";
import { faultOf, isRefusal } from "./fault.ts";
import { type Plan, type Proposal, planAfter } from "./plan.ts";
import { inTurn, transact } from "./transaction.ts";

type RunRound = Parameters<typeof transact>[3];
type Job = Proposal & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** A transaction that was made: the commits that shared it, none of which was refused, and its time from a connection on. */
export type CommitBatch = { readonly commits: number; readonly refused: number; readonly durationMs: number };

/** More commits than this do not share one transaction: while it runs, those of other servers wait. */
const batchSizeMax = 64;
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
  /** Where the clocks stood after this process' last commits. Other servers may have moved them on. */
  readonly #clocks = new LRUCache<string, number>({ max: clocksMax });

  constructor(pool: Pool, onCommit?: (batch: CommitBatch) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  /** Resolves once the commit is durable. */
  add(tenant: string, proposal: Proposal): Promise<void> {
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
      if (batch.length === 1 || !(await this.#together(tenant, batch))) {
        for (const job of batch) await this.#alone(tenant, job);
      }
    }
    this.#waiting.delete(tenant);
  }

  /** Whether all are over: made, or refused because the place is at fault. Otherwise nothing happened. */
  async #together(tenant: string, batch: readonly Job[]): Promise<boolean> {
    const outcome = await this.#transact(tenant, batch);
    if (outcome === undefined) for (const job of batch) job.resolve();
    else if (outcome.isOver) for (const job of batch) job.reject(outcome.error);
    return outcome === undefined || outcome.isOver;
  }

  /** Once more where it is refused, to learn by which write; what was in the way may be gone by then. */
  async #alone(tenant: string, job: Job): Promise<void> {
    const first = await this.#transact(tenant, [job]);
    const outcome = first !== undefined && isRefusal(first.error) ? await this.#transact(tenant, [job], inTurn) : first;
    if (outcome === undefined) job.resolve();
    else job.reject(outcome.error);
  }

  /** What went wrong, if anything did; over it is where another try now would end no better. */
  async #transact(
    tenant: string,
    proposals: readonly Proposal[],
    runRound?: RunRound,
  ): Promise<{ readonly error: unknown; readonly isOver: boolean } | undefined> {
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
      const plan = planAfter(this.#clocks.get(tenant) ?? 0, guarded);
      if (plan.writes.length === 0) return undefined;
      const since = performance.now();
      await this.#commit(tenant, guarded, plan, runRound);
      this.#onCommit?.({ commits: proposals.length, refused: 0, durationMs: performance.now() - since });
      return undefined;
    } catch (error) {
      if (refusal !== undefined) return { error: refusal.error, isOver: false };
      const fault = faultOf(error);
      return { error: fault, isOver: fault !== error };
    }
  }

  /** As it is planned, in one round trip; else in the three or more that find out what is right, or wrong. */
  async #commit(tenant: string, proposals: readonly Proposal[], plan: Plan, runRound: RunRound): Promise<void> {
    const outcome = await onConnection(this.#pool, async (client) => {
      const isSimple = runRound === undefined && client.pipeline === true;
      const first = isSimple ? await commitAtOnce(client, tenant, plan) : "stepwise";
      return first === "stepwise" ? transact(client, tenant, proposals, runRound) : first;
    });
    if (typeof outcome !== "number") throw outcome.refusal;
    this.#clocks.set(tenant, outcome);
  }
}
