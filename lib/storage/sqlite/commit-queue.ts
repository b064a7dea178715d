import { advanceClock, type CommitConditions, StorageUnavailable, type Write } from "../storage.ts";
import type { ConnectionPair } from "./connection-pair.ts";
import type { SqliteOptions } from "./options.ts";
import { toStorageUnavailable } from "./storage-errors.ts";
import type { Maintenance, WriteJob, WriteJobResult } from "./transaction-runner.ts";
import { nextCommitTime } from "./transaction-runner.ts";

type QueuedCommit = {
  readonly tenant: string;
  readonly now: number;
  readonly propose: (at: number) => readonly Write[];
  readonly conditions: CommitConditions | undefined;
};
type Job = {
  readonly input: QueuedCommit | Maintenance;
  readonly since: number;
  readonly resolve: (changes: number) => void;
  readonly reject: (error: unknown) => void;
  /** How often another process committed to the tenant between the proposal and the transaction. */
  clockConflicts: number;
};

export type QueueOptions = Pick<SqliteOptions, "onCommit" | "lockTimeoutMs">;

/** Limit of commits that share one transaction. */
const maxBatchSize = 128;
const defaultLockTimeoutMs = 5_000;
/** Delays between attempts to get the lock. The last one repeats. */
const lockRetryDelaysMs = [1, 2, 5, 10, 20];
/** Limit of commits that wait while another process holds the lock. */
const maxLockWaiters = 1_000;
/** Limit of `clockConflicts`. */
const maxClockConflicts = 200;

/**
 * Group commit. Commits that arrive during a transaction, or in the same turn of the event loop, share the next
 * transaction and its fsync. A commit resolves once its transaction is durable.
 */
export class CommitQueue {
  readonly #connections: ConnectionPair;
  readonly #onCommit: SqliteOptions["onCommit"];
  readonly #lockTimeoutMs: number;
  #waiting: Job[] = [];
  /** Failed attempts to get the lock since the last success. */
  #busyCount = 0;
  #isScheduled = false;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(connections: ConnectionPair, { onCommit, lockTimeoutMs }: QueueOptions = {}) {
    this.#connections = connections;
    this.#onCommit = onCommit;
    this.#lockTimeoutMs = lockTimeoutMs ?? defaultLockTimeoutMs;
  }

  /** Resolves with the number of changed rows once they are durable. @throws StorageUnavailable */
  add(input: QueuedCommit | Maintenance): Promise<number> {
    return new Promise((resolve, reject) => {
      const job = { input, since: performance.now(), resolve, reject, clockConflicts: 0 };
      if (this.#isClosed) reject(databaseClosed());
      else if (this.#busyCount > 0 && this.#waiting.length >= maxLockWaiters) reject(tooManyWaiters());
      else this.#waiting.push(job);
      this.#schedule();
    });
  }

  /** Writes all waiting commits. Later ones are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#running !== undefined || this.#waiting.length > 0) {
      await this.#flush();
      if (this.#busyCount > 0) this.#rejectAll(databaseClosed());
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running !== undefined || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    const flush = (): void => {
      this.#isScheduled = false;
      void this.#flush();
    };
    if (this.#busyCount === 0) setImmediate(flush);
    else setTimeout(flush, lockRetryDelaysMs[this.#busyCount - 1] ?? lockRetryDelaysMs.at(-1));
  }

  /** Runs one transaction at a time. Resolves when the running one has ended. */
  #flush(): Promise<void> {
    this.#running ??= this.#transact().finally(() => {
      this.#running = undefined;
      this.#schedule();
    });
    return this.#running;
  }

  async #transact(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const writeError = this.#connections.findWriteError();
    if (writeError !== undefined) return this.#rejectAll(writeError);
    const batch = this.#prepare(this.#waiting.splice(0, maxBatchSize));
    if (batch.length === 0) return;
    const startedAt = performance.now();
    const results = await this.#connections.transact(batch.map(({ prepared }) => prepared));
    const commits = this.#settle(
      batch.map(({ job }) => job),
      results,
    );
    if (results.includes("busy")) {
      this.#busyCount++;
      this.#rejectOverdue();
    } else this.#busyCount = 0;
    if (commits > 0) this.#onCommit?.({ commits, durationMs: performance.now() - startedAt });
  }

  /** Calls `propose` of each commit. Resolves those without writes and rejects those that throw. */
  #prepare(jobs: readonly Job[]): { readonly job: Job; readonly prepared: WriteJob }[] {
    const clocks = new Map<string, number>();
    return jobs.flatMap((job) => {
      try {
        const prepared = "statements" in job.input ? job.input : prepareCommit(this.#connections, clocks, job.input);
        if (prepared !== undefined) return [{ job, prepared }];
        job.resolve(0);
      } catch (error) {
        job.reject(toStorageUnavailable(error));
      }
      return [];
    });
  }

  /** Resolves or rejects each job, or puts it back in front of the queue. Returns the number of commits that ended. */
  #settle(jobs: readonly Job[], results: readonly WriteJobResult[]): number {
    // A write to a file that was removed or replaced isn't durable.
    const writeError = this.#connections.findWriteError();
    const retried: Job[] = [];
    let commits = 0;
    for (const [index, job] of jobs.entries()) {
      const result = results[index] ?? { error: new StorageUnavailable("The commit thread ended.") };
      if (result === "busy" || (result === "clock_moved" && ++job.clockConflicts < maxClockConflicts)) {
        retried.push(job);
        continue;
      }
      if ("tenant" in job.input) commits++;
      if (writeError !== undefined) job.reject(writeError);
      else if (result === "clock_moved")
        job.reject(new StorageUnavailable("Too many concurrent writes to this tenant."));
      else if ("error" in result) job.reject(result.error);
      else job.resolve(result.changes);
    }
    this.#waiting.unshift(...retried);
    return commits;
  }

  /** Rejects jobs that waited too long for the lock, and those over the limit. */
  #rejectOverdue(): void {
    const waitedSince = performance.now() - this.#lockTimeoutMs;
    const overdue = this.#waiting.filter(({ since }) => since <= waitedSince);
    if (overdue.length > 0) this.#waiting = this.#waiting.filter(({ since }) => since > waitedSince);
    for (const job of overdue) job.reject(new StorageUnavailable("The database is locked by another process."));
    for (const job of this.#waiting.splice(maxLockWaiters)) job.reject(tooManyWaiters());
  }

  #rejectAll(error: unknown): void {
    for (const job of this.#waiting.splice(0)) job.reject(error);
  }
}

function databaseClosed(): StorageUnavailable {
  return new StorageUnavailable("The database is closed.");
}

function tooManyWaiters(): StorageUnavailable {
  return new StorageUnavailable(
    `The database is locked by another process, and ${maxLockWaiters} commits wait for it.`,
  );
}

/**
 * Returns undefined if the commit proposes no writes.
 * @param clocks the clocks of the tenants that have a commit in the same transaction
 */
function prepareCommit(
  connections: ConnectionPair,
  clocks: Map<string, number>,
  { tenant, now, propose, conditions }: QueuedCommit,
): WriteJob | undefined {
  const at = nextCommitTime(now, clocks.get(tenant) ?? connections.clock(tenant));
  const writes = propose(at);
  if (writes.length === 0) return undefined;
  const clock = advanceClock(at, writes);
  clocks.set(tenant, clock);
  return { tenant, at, clock, writes, conditions };
}
