import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { WriteConflict } from "../storage.ts";
import { countTogether, type Job, maxBatchSize, settle } from "./commit-jobs.ts";
import { withConnection } from "./connection.ts";
import { commitGroup, GroupableWrites, type TenantPlan } from "./group-commit.ts";
import { isNotSupported, isRejectedWrite, isRolledBack, toStorageUnavailable } from "./storage-errors.ts";
import {
  type CommitPlan,
  commitInSteps,
  planCommits,
  type QueuedCommit,
  runReportingFirstError,
} from "./transaction.ts";

type RunBatch = Parameters<typeof commitInSteps>[3];
/** The waiting commits of a tenant of which none runs. */
type Batch = { readonly tenant: string; readonly jobs: readonly Job[] };
type PlannedBatch = Batch & { readonly plan: CommitPlan; readonly settingsVersion: number | undefined };
type Failure = { readonly error: unknown; readonly isUnavailable: boolean };

/** The number of commits and the duration of a successful transaction. */
export type CommitStats = { readonly commits: number; readonly durationMs: number };

/** Number of writes after which a tenant's part of a group ends. */
const maxGroupedWrites = 1_000;
/** Number of groups that run at the same time. More would make each smaller, and save no fsync. */
const maxRunningGroups = 2;

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
 * Commits of this process, in order per tenant. Commits that wait share a statement and an fsync, those of all tenants.
 * A group has only commits that are likely to succeed: the tenant clock is guessed. A tenant whose guess is wrong, or
 * whose commits need several statements, gets its own transaction. If that is rejected, each of its commits gets one.
 */
export class CommitQueue {
  readonly #pool: Pool;
  readonly #onCommit: ((batch: CommitStats) => void) | undefined;
  readonly #waiting = new Map<string, Job[]>();
  /** The tenants whose commits run. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #clocks = new LRUCache<string, KnownClock>({ max: maxCachedClocks });
  #runningGroups = 0;
  /** False for a database that can't lock the clocks of several tenants in one statement. */
  #supportsGroups = true;
  #isScheduled = false;

  constructor(pool: Pool, onCommit?: (batch: CommitStats) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  /** Resolves when the commit is durable. */
  add(tenant: string, commit: QueuedCommit): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = { ...commit, resolve, reject };
      const waiting = this.#waiting.get(tenant);
      if (waiting === undefined) this.#waiting.set(tenant, [job]);
      else waiting.push(job);
      this.#schedule();
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#waiting.size > 0 || this.#running.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(this.#running);
    }
  }

  /** Starts the next transactions once all commits of this turn of the event loop are known. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    const group: PlannedBatch[] = [];
    let size = 0;
    for (const [tenant, waiting] of this.#waiting) {
      if (this.#busy.has(tenant)) continue;
      const planned = this.#plan(tenant, waiting.slice(0, maxBatchSize));
      if (planned === undefined) this.#run([tenant], this.#commitTenant(this.#take(tenant, countTogether(waiting))));
      else if (this.#runningGroups < maxRunningGroups && size + planned.jobs.length <= maxBatchSize) {
        size += planned.jobs.length;
        group.push({ ...planned, ...this.#take(tenant, planned.jobs.length) });
      }
    }
    if (group.length === 0) return;
    this.#runningGroups++;
    const running = this.#commitGroup(group).finally(() => this.#runningGroups--);
    this.#run(
      group.map(({ tenant }) => tenant),
      running,
    );
  }

  #take(tenant: string, count: number): Batch {
    const waiting = this.#waiting.get(tenant) ?? [];
    const jobs = waiting.splice(0, count);
    if (waiting.length === 0) this.#waiting.delete(tenant);
    this.#busy.add(tenant);
    return { tenant, jobs };
  }

  #run(tenants: readonly string[], work: Promise<void>): void {
    const running = work.finally(() => {
      this.#running.delete(running);
      for (const tenant of tenants) this.#busy.delete(tenant);
      this.#schedule();
    });
    this.#running.add(running);
  }

  /** Returns the first commits of a tenant that can be part of a group, with the times that they get if the guess is right. */
  #plan(tenant: string, waiting: readonly Job[]): PlannedBatch | undefined {
    const { time, unchangedCount } = this.#clocks.get(tenant) ?? unknownClock;
    if (!this.#supportsGroups || unchangedCount < minUnchangedCount) return undefined;
    const groupable = new GroupableWrites();
    const jobs: Job[] = [];
    let settingsVersion: number | undefined;
    let plan: CommitPlan = { writes: [], firstCommitTime: Number.POSITIVE_INFINITY, finalClock: time };
    for (const job of waiting) {
      const { settingsVersion: expected = settingsVersion, none } = job.conditions ?? {};
      if (none !== undefined || (settingsVersion ?? expected) !== expected) break;
      let next: CommitPlan;
      try {
        next = planCommits(plan.finalClock, [job]);
      } catch {
        // Its own transaction reports the error of the proposal.
        break;
      }
      const isFull = jobs.length > 0 && plan.writes.length + next.writes.length > maxGroupedWrites;
      if (isFull || !groupable.add(next.writes)) break;
      jobs.push(job);
      settingsVersion = expected;
      plan = {
        writes: [...plan.writes, ...next.writes],
        firstCommitTime: Math.min(plan.firstCommitTime, next.firstCommitTime),
        finalClock: next.finalClock,
      };
    }
    return plan.writes.length === 0 ? undefined : { tenant, jobs, plan, settingsVersion };
  }

  /** Commits a group. The tenants that it can't commit get their own transactions. */
  async #commitGroup(group: readonly PlannedBatch[]): Promise<void> {
    const since = performance.now();
    let rest: readonly Batch[] = [];
    try {
      const plans = group.map(
        ({ tenant, plan, settingsVersion }): TenantPlan => ({ tenant, settingsVersion, ...plan }),
      );
      const outcomes = await commitGroup(this.#pool, plans);
      const isDone = ({ tenant }: Batch) => outcomes.get(tenant)?.isCommitted === true;
      for (const { tenant, jobs, plan } of group.filter(isDone)) {
        const { unchangedCount } = this.#clocks.get(tenant) ?? unknownClock;
        this.#clocks.set(tenant, { time: plan.finalClock, unchangedCount: unchangedCount + 1 });
        for (const job of jobs) job.resolve();
      }
      const commits = group.filter(isDone).reduce((sum, { jobs }) => sum + jobs.length, 0);
      if (commits > 0) this.#onCommit?.({ commits, durationMs: performance.now() - since });
      rest = group.filter((batch) => !isDone(batch));
      for (const { tenant } of rest)
        this.#clocks.set(tenant, { time: outcomes.get(tenant)?.clock ?? 0, unchangedCount: 0 });
    } catch (error) {
      if (isNotSupported(error)) this.#supportsGroups = false;
      if (isRolledBack(error)) rest = group;
      else for (const { jobs } of group) for (const job of jobs) job.reject(toStorageUnavailable(error));
    }
    await Promise.all(rest.map((batch) => this.#commitTenant(batch)));
  }

  /**
   * Commits the jobs of a tenant in one transaction. If that is rejected, commits each in its own, write by write, to
   * report the first write that fails. Settles all jobs.
   */
  async #commitTenant({ tenant, jobs }: Batch): Promise<void> {
    const failure = await this.#transact(tenant, jobs);
    if (failure === undefined) return;
    const { error, isUnavailable } = failure;
    const isReported = jobs.length === 1 && (!isRejectedWrite(error) || error instanceof WriteConflict);
    for (const job of jobs) {
      const last = isUnavailable || isReported ? failure : await this.#transact(tenant, [job], runReportingFirstError);
      if (last !== undefined) job.reject(last.error);
    }
  }

  /**
   * Runs commits in one transaction and settles them. Returns the error if it failed, which settles none, and whether the
   * database was unavailable.
   */
  async #transact(tenant: string, commits: readonly Job[], runBatch?: RunBatch): Promise<Failure | undefined> {
    // An error of a proposal must reach the caller unchanged, even if it looks like an error of the driver.
    let thrown: { readonly error: unknown } | undefined;
    const guarded = commits.map(({ now, conditions, propose }) => ({
      now,
      conditions,
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
      const expected = planCommits(time, guarded);
      if (expected.writes.length === 0) return settle(commits);
      const since = performance.now();
      const { finalClock, conflicts } = await withConnection(this.#pool, (client) =>
        commitInSteps(client, tenant, guarded, runBatch),
      );
      const isUnchanged = finalClock === expected.finalClock;
      this.#clocks.set(tenant, { time: finalClock, unchangedCount: isUnchanged ? unchangedCount + 1 : 0 });
      const committed = conflicts.filter((conflict) => conflict === undefined).length;
      if (committed > 0) this.#onCommit?.({ commits: committed, durationMs: performance.now() - since });
      return settle(commits, conflicts);
    } catch (error) {
      if (thrown !== undefined) return { error: thrown.error, isUnavailable: false };
      const storageError = toStorageUnavailable(error);
      return { error: storageError, isUnavailable: storageError !== error };
    }
  }
}
