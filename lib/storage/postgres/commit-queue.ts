import type { Pool } from "pg";
import { WriteConflict } from "../storage.ts";
import { countTogether, isAlone, type Job, maxBatchSize, type QueuedCommit, settle } from "./commit-jobs.ts";
import { withConnection } from "./connection.ts";
import { commitGroup, type TenantPlan } from "./group-commit.ts";
import { type GroupPlan, KnownClocks, planGroup } from "./known-clocks.ts";
import { isNotSupported, isRejectedWrite, isRolledBack, toStorageUnavailable } from "./storage-errors.ts";
import { commitInSteps, planCommits, type RunBatch, runReportingFirstError } from "./transaction.ts";

/** The waiting commits of a tenant of which none runs. */
type Batch = { readonly tenant: string; readonly jobs: Job[] };
type PlannedBatch = Batch & Pick<GroupPlan, "plan" | "settingsVersion">;

/** The error of a commit, and whether the database was unavailable. */
type CommitFailure = { readonly error: unknown; readonly isUnavailable: boolean };

/** The number of commits and the duration of a successful transaction. */
export type CommitStats = { readonly commits: number; readonly durationMs: number };

/**
 * Commits of this process, in order per tenant. Commits that wait share a statement and an fsync, those of all tenants.
 * One group runs at a time: more would make each smaller, and save no fsync. A group has only commits that are likely
 * to succeed: the tenant clock is guessed. A tenant whose guess is wrong, or whose commits need several statements,
 * gets its own transaction, and no other tenant waits for it. If that is rejected, each of its commits gets one.
 */
export class CommitQueue {
  readonly #pool: Pool;
  readonly #onCommit: ((batch: CommitStats) => void) | undefined;
  readonly #waiting = new Map<string, Job[]>();
  /** The tenants whose commits run. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #clocks = new KnownClocks();
  #isGroupRunning = false;
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
      const [first] = waiting;
      if (first === undefined || this.#busy.has(tenant)) continue;
      const isGuessed = this.#supportsGroups && this.#clocks.isGuessable(tenant) && !isAlone(first);
      // These commits are planned when the group ends, because more may be waiting then.
      if (isGuessed && this.#isGroupRunning) continue;
      const planned = isGuessed ? planGroup(this.#clocks.time(tenant), waiting.slice(0, maxBatchSize)) : undefined;
      if (planned === undefined) {
        const batch = this.#take(tenant, countTogether(waiting));
        this.#runAlone(batch);
      } else if (size + planned.count <= maxBatchSize) {
        size += planned.count;
        group.push({ ...planned, ...this.#take(tenant, planned.count) });
      }
    }
    if (group.length === 0) return;
    this.#isGroupRunning = true;
    const running = this.#commitGroup(group).finally(() => {
      this.#isGroupRunning = false;
    });
    this.#run(group, running);
  }

  #take(tenant: string, count: number): Batch {
    const waiting = this.#waiting.get(tenant) ?? [];
    const jobs = waiting.splice(0, count);
    if (waiting.length === 0) this.#waiting.delete(tenant);
    this.#busy.add(tenant);
    return { tenant, jobs };
  }

  /** Waits for the transaction of these batches. `work` returns those that need a transaction of their own. */
  #run(batches: readonly Batch[], work: Promise<readonly Batch[]>): void {
    // An unexpected error must not leave commits waiting. Those that are settled stay so.
    const rejectAll = (error: unknown): readonly Batch[] => {
      for (const { jobs } of batches) for (const job of jobs) job.reject(error);
      return [];
    };
    const running = work.catch(rejectAll).then((rest) => {
      this.#running.delete(running);
      for (const { tenant } of batches) this.#busy.delete(tenant);
      for (const batch of rest) {
        this.#busy.add(batch.tenant);
        this.#runAlone(batch);
      }
      this.#schedule();
    });
    this.#running.add(running);
  }

  #runAlone(batch: Batch): void {
    this.#run(
      [batch],
      this.#commitTenant(batch).then(() => []),
    );
  }

  /** Commits a group. Returns the batches of the tenants that it can't commit. */
  async #commitGroup(group: readonly PlannedBatch[]): Promise<readonly Batch[]> {
    const since = performance.now();
    let rest: readonly Batch[] = [];
    try {
      const plans = group.map(
        ({ tenant, plan, settingsVersion }): TenantPlan => ({ tenant, settingsVersion, ...plan }),
      );
      const outcomes = await commitGroup(this.#pool, plans);
      const isDone = ({ tenant }: Batch) => outcomes.get(tenant)?.isCommitted === true;
      for (const { tenant, jobs, plan } of group.filter(isDone)) {
        this.#clocks.setRight(tenant, plan.finalClock);
        for (const job of jobs) job.resolve();
      }
      const commits = group.filter(isDone).reduce((sum, { jobs }) => sum + jobs.length, 0);
      if (commits > 0) this.#onCommit?.({ commits, durationMs: performance.now() - since });
      rest = group.filter((batch) => !isDone(batch));
      for (const { tenant } of rest) this.#clocks.setWrong(tenant, outcomes.get(tenant)?.clock);
    } catch (error) {
      if (isNotSupported(error)) this.#supportsGroups = false;
      if (isRolledBack(error)) rest = group;
      else for (const { jobs } of group) for (const job of jobs) job.reject(toStorageUnavailable(error));
    }
    return rest;
  }

  /**
   * Commits the jobs of a tenant in one transaction. If that is rejected, commits each in its own, write by write, to
   * report the first write that fails. Settles all jobs.
   */
  async #commitTenant({ tenant, jobs }: Batch): Promise<void> {
    const takeMore = (): void => {
      const waiting = this.#waiting.get(tenant) ?? [];
      const end = waiting.findIndex(isAlone);
      const count = Math.min(maxBatchSize - jobs.length, end < 0 ? waiting.length : end);
      jobs.push(...this.#take(tenant, count).jobs);
    };
    const failure = await this.#transact(tenant, jobs, jobs.some(isAlone) ? {} : { takeMore });
    if (failure === undefined) return;
    const { error, isUnavailable } = failure;
    const isReported = jobs.length === 1 && (!isRejectedWrite(error) || error instanceof WriteConflict);
    for (const job of jobs) {
      const last =
        isUnavailable || isReported
          ? failure
          : await this.#transact(tenant, [job], { runBatch: runReportingFirstError });
      if (last !== undefined) job.reject(last.error);
    }
  }

  /**
   * Runs commits in one transaction and settles them. Returns the error if it failed, which settles none, and whether
   * the database was unavailable.
   */
  async #transact(
    tenant: string,
    jobs: readonly Job[],
    { runBatch, takeMore }: { readonly runBatch?: RunBatch; readonly takeMore?: () => void } = {},
  ): Promise<CommitFailure | undefined> {
    // An error of a proposal must reach the caller unchanged, even if it looks like an error of the driver.
    let thrown: { readonly error: unknown } | undefined;
    const guard = ({ now, conditions, propose }: QueuedCommit) => ({
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
    });
    let isLocked = false;
    const take = () => {
      isLocked = true;
      takeMore?.();
      return jobs.map(guard);
    };
    const isGrouped = this.#supportsGroups && runBatch === undefined;
    try {
      const time = this.#clocks.time(tenant);
      // While other servers write to the tenant, a plan with a guessed time is of no use.
      const isGuessable = this.#clocks.isGuessable(tenant);
      if (isGuessable && planCommits(time, jobs.map(guard)).writes.length === 0) return settle(jobs);
      const since = performance.now();
      const { before, after, conflicts } = await withConnection(this.#pool, (client) =>
        commitInSteps(client, tenant, { take, runBatch, isGrouped }),
      );
      this.#clocks.setLocked(tenant, after, before < Math.max(time + 1, jobs[0]?.now ?? 0));
      const committed = conflicts.filter((conflict) => conflict === undefined).length;
      if (committed > 0) this.#onCommit?.({ commits: committed, durationMs: performance.now() - since });
      return settle(jobs, conflicts);
    } catch (error) {
      if (thrown !== undefined) return { error: thrown.error, isUnavailable: false };
      if (isLocked && isGrouped && isNotSupported(error)) {
        this.#supportsGroups = false;
        return this.#transact(tenant, jobs);
      }
      const storageError = toStorageUnavailable(error);
      return { error: storageError, isUnavailable: storageError !== error };
    }
  }
}
