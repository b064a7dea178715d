import type { Pool } from "pg";
import { StorageUnavailable, type Write, WriteConflict } from "../storage.ts";
import { conflictOf } from "./conflict.ts";
import { onConnection } from "./connection.ts";
import { faultOf, isConstraint, isTaken } from "./fault.ts";
import { type Proposal, transact } from "./transaction.ts";

type Job = Proposal & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** What a commit was refused for; gone where nobody knows the reason any more. */
type Refused = { readonly error: unknown; readonly isGone: boolean };

/** More commits than this do not share one transaction: while it runs, those of other servers wait. */
const batchSizeMax = 64;
/** How often a commit is tried whose obstacle was gone each time. */
const attemptsMax = 5;

/**
 * The commits of this process, tenant by tenant in the order in which they came: they would wait for each other in the
 * database anyway, each with a connection. Those that wait together share one transaction and one fsync; where one of
 * them is refused, each is made alone.
 */
export class CommitQueue {
  readonly #pool: Pool;
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Set<Promise<void>>();

  constructor(pool: Pool) {
    this.#pool = pool;
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

  /** What was in the way may be gone when it is asked who it was, by another server's commit: then it is made anew. */
  async #alone(tenant: string, job: Job): Promise<void> {
    let outcome: Refused | undefined;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      outcome = await this.#attempt(tenant, job);
      if (outcome === undefined) return job.resolve();
      if (!outcome.isGone) return job.reject(outcome.error);
    }
    job.reject(new StorageUnavailable("What was in the way came and went.", { cause: outcome?.error }));
  }

  async #attempt(tenant: string, job: Job): Promise<Refused | undefined> {
    let writes: readonly Write[] = [];
    const propose = (at: number): readonly Write[] => {
      writes = job.propose(at);
      return writes;
    };
    const outcome = await this.#transact(tenant, [{ now: job.now, propose }]);
    if (outcome === undefined) return undefined;
    const { error } = outcome;
    // A statement is refused for whatever comes first; that an update in it is stale goes before.
    if (!isConstraint(error) && !(error instanceof WriteConflict)) return { error, isGone: false };
    const found = await this.#conflict(tenant, writes);
    return { error: found ?? error, isGone: found === undefined && isTaken(error) };
  }

  /** What went wrong, if anything did; over it is where another try now would end no better. */
  async #transact(
    tenant: string,
    proposals: readonly Proposal[],
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
      await onConnection(this.#pool, (client) => transact(client, tenant, guarded));
      return undefined;
    } catch (error) {
      if (refusal !== undefined) return { error: refusal.error, isOver: false };
      const fault = faultOf(error);
      return { error: fault, isOver: fault !== error };
    }
  }

  /** The conflict, or why it cannot be found out. */
  async #conflict(tenant: string, writes: readonly Write[]): Promise<unknown> {
    try {
      return await conflictOf(this.#pool, tenant, writes);
    } catch (other) {
      return faultOf(other);
    }
  }
}
