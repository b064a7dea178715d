import { LRUCache } from "lru-cache";
import type { QueuedCommit } from "./commit-jobs.ts";
import { type CommitPlan, GroupableWrites } from "./group-commit.ts";
import { planCommits } from "./transaction.ts";

/** The first commits of a tenant that can be part of a group, with the times that they get if the guess is right. */
export type GroupPlan = {
  readonly count: number;
  readonly plan: CommitPlan;
  readonly settingsVersion: number | undefined;
};

/** Number of writes after which a tenant's part of a group ends. */
const maxGroupedWrites = 1_000;

/** The tenant clock after the last commit, and how many commits must find it unchanged before the next guess. */
type KnownClock = { readonly time: number; readonly waits: number; readonly maxWaits: number };

const unknown: KnownClock = { time: 0, waits: 0, maxWaits: 0 };

/** Commits that lock the clock after a first wrong guess. A wrong guess costs a round trip. */
const firstWaits = 4;
/** Maximum after several. */
const lastWaits = 64;

/** Number of tenants whose clock is cached. */
const maxTenants = 20_000;

/**
 * The clocks of tenants. The times of the next commits are guessed from them if no other server writes to the tenant.
 */
export class KnownClocks {
  readonly #clocks = new LRUCache<string, KnownClock>({ max: maxTenants });

  /** Returns the clock after the last commit, 0 if it isn't known. */
  time(tenant: string): number {
    return this.#of(tenant).time;
  }

  isGuessable(tenant: string): boolean {
    return this.#of(tenant).waits === 0;
  }

  /** Sets the clock after a right guess. */
  setRight(tenant: string, time: number): void {
    this.#clocks.set(tenant, { time, waits: 0, maxWaits: Math.floor(this.#of(tenant).maxWaits / 2) });
  }

  /** Notes that a guess was wrong, or, without the clock, that another server had locked it. */
  setWrong(tenant: string, clock?: number): void {
    const { time, maxWaits } = this.#of(tenant);
    const waits = Math.min(lastWaits, Math.max(clock === undefined ? 1 : firstWaits, maxWaits * 2));
    this.#clocks.set(tenant, { time: clock ?? time, waits, maxWaits: waits });
  }

  /** Sets the clock after commits that locked it. `isRight` is whether a guess would have been right. */
  setLocked(tenant: string, time: number, isRight: boolean): void {
    const { waits, maxWaits } = this.#of(tenant);
    if (isRight) this.#clocks.set(tenant, { time, waits: Math.max(0, waits - 1), maxWaits });
    else this.#clocks.set(tenant, { time, waits: Math.max(firstWaits, maxWaits), maxWaits });
  }

  #of(tenant: string): KnownClock {
    return this.#clocks.get(tenant) ?? unknown;
  }
}

/** Plans commits of a tenant whose clock is guessed. Returns undefined if the first one can't be part of a group. */
export function planGroup(clock: number, waiting: readonly QueuedCommit[]): GroupPlan | undefined {
  const groupable = new GroupableWrites();
  let count = 0;
  let settingsVersion: number | undefined;
  let plan: CommitPlan = { writes: [], firstCommitTime: Number.POSITIVE_INFINITY, finalClock: clock };
  for (const commit of waiting) {
    const { settingsVersion: expected = settingsVersion, none } = commit.conditions ?? {};
    if (none !== undefined || (settingsVersion ?? expected) !== expected) break;
    let next: CommitPlan;
    try {
      next = planCommits(plan.finalClock, [commit]);
    } catch {
      // Its own transaction reports the error of the proposal.
      break;
    }
    const isFull = count > 0 && plan.writes.length + next.writes.length > maxGroupedWrites;
    if (isFull || !groupable.add(next.writes)) break;
    count++;
    settingsVersion = expected;
    plan = {
      writes: [...plan.writes, ...next.writes],
      firstCommitTime: Math.min(plan.firstCommitTime, next.firstCommitTime),
      finalClock: next.finalClock,
    };
  }
  return plan.writes.length === 0 ? undefined : { count, plan, settingsVersion };
}
