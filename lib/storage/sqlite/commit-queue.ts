import { advanceClock, StorageUnavailable, type Write } from "../storage.ts";
import type { ConnectionPair } from "./connection-pair.ts";
import type { ConnectionSource } from "./database-file.ts";
import type { CommitBatch } from "./options.ts";
import { toStorageError } from "./storage-errors.ts";
import type { Statement, WriteJob, WriteJobResult } from "./transaction-runner.ts";
import { nextCommitTime } from "./writer.ts";

type QueuedCommit = {
  readonly tenant: string;
  readonly now: number;
  readonly propose: (at: number) => readonly Write[];
};
type Job = {
  readonly input: QueuedCommit | Statement;
  readonly since: number;
  readonly resolve: (changes: number) => void;
  readonly reject: (error: unknown) => void;
  /** How often another process committed to the tenant between the proposal and the transaction. */
  clockConflicts: number;
};

/** More commits than this do not share one transaction: others wait until it ends. */
const batchSizeMax = 128;
/** How long a commit waits for a lock that another process holds. */
const lockWaitMs = 5_000;
/** After how long the lock is asked for again, time after time; the last counts for all later ones. */
const lockRetryMs = [1, 2, 5, 10, 20];
/** Commits that wait for a lock of others at a time: callers that only read are to find room beside them. */
const lockWaitersMax = 1_000;

/** Limit of `clockConflicts`. */
const maxClockConflicts = 200;

/**
 * Group commit: what arrives while a transaction runs, or the event loop turns once, shares the next one and its
 * fsync. A commit is answered only once its transaction is on the disk.
 */
export class CommitQueue {
  readonly #place: ConnectionSource;
  readonly #onCommit: ((batch: CommitBatch) => void) | undefined;
  #waiting: Job[] = [];
  /** How often the lock was asked for in vain since it was last ours. */
  #polls = 0;
  #scheduled = false;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(place: ConnectionSource, onCommit?: (batch: CommitBatch) => void) {
    this.#place = place;
    this.#onCommit = onCommit;
  }

  /** Does this in a transaction, and answers once it is durable how many rows it changed. @throws StorageUnavailable */
  add(input: QueuedCommit | Statement): Promise<number> {
    return new Promise((resolve, reject) => {
      const job = { input, since: performance.now(), resolve, reject, clockConflicts: 0 };
      if (this.#closed) reject(new StorageUnavailable("The database is closed."));
      else if (this.#polls > 0 && this.#waiting.length >= lockWaitersMax) reject(tooMany());
      else this.#waiting.push(job);
      this.#schedule();
    });
  }

  /** Writes what is waiting, now, and takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined || this.#waiting.length > 0) {
      await this.#flush();
      if (this.#polls > 0) this.#refuse(this.#waiting.length, new StorageUnavailable("The database is closed."));
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#running !== undefined || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const flush = (): void => {
      this.#scheduled = false;
      void this.#flush();
    };
    if (this.#polls === 0) setImmediate(flush);
    else setTimeout(flush, lockRetryMs[this.#polls - 1] ?? lockRetryMs.at(-1));
  }

  /** One transaction at a time; resolves once the one that runs has ended. */
  #flush(): Promise<void> {
    this.#running ??= this.#transact().finally(() => {
      this.#running = undefined;
      this.#schedule();
    });
    return this.#running;
  }

  async #transact(): Promise<void> {
    // Whoever looks for a database that nobody writes to might open another one, after the end even.
    if (this.#waiting.length === 0) return;
    const open = this.#standing();
    const batch = open === undefined ? [] : this.#prepare(open, this.#waiting.splice(0, batchSizeMax));
    if (open === undefined || batch.length === 0) return;
    const begun = performance.now();
    const results = await open.transact(batch.map(({ task }) => task));
    const jobs = batch.map(({ job }) => job);
    if (results === "busy") {
      this.#polls++;
      this.#waitForLock(jobs);
      for (const job of this.#waiting.splice(lockWaitersMax)) job.reject(tooMany());
      return;
    }
    this.#polls = 0;
    const told = this.#answer(jobs, results);
    if (told.commits > 0) this.#onCommit?.({ ...told, durationMs: performance.now() - begun });
  }

  /** The database, where it is to be written to. Or else refuses all who wait. */
  #standing(): ConnectionPair | undefined {
    try {
      return this.#place.writable();
    } catch (error) {
      this.#refuse(this.#waiting.length, toStorageError(error));
      return undefined;
    }
  }

  /** Asks for the writes; who has none, or an objection, is answered. */
  #prepare(open: ConnectionPair, jobs: readonly Job[]): { readonly job: Job; readonly task: WriteJob }[] {
    const clocks = new Map<string, number>();
    return jobs.flatMap((job) => {
      try {
        const task = "sql" in job.input ? job.input : prepareCommit(open, clocks, job.input);
        if (task !== undefined) return [{ job, task }];
        job.resolve(0);
      } catch (error) {
        job.reject(toStorageError(error));
      }
      return [];
    });
  }

  /** Resolves or rejects each job. A commit whose time isn't later than the tenant clock any more is proposed again. */
  #answer(jobs: readonly Job[], results: readonly WriteJobResult[]): Omit<CommitBatch, "durationMs"> {
    let refused = 0;
    let gone: { readonly error: unknown } | undefined;
    try {
      this.#place.assertUnchanged();
    } catch (error) {
      gone = { error };
    }
    const retried: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      const result = gone ?? results[index] ?? { error: new StorageUnavailable("The commit was not answered.") };
      if (result === "clock_moved" && ++job.clockConflicts < maxClockConflicts) retried.push(job);
      else if (result !== "clock_moved" && "changes" in result) job.resolve(result.changes);
      else {
        refused++;
        job.reject(result === "clock_moved" ? clockContention() : result.error);
      }
    }
    this.#waiting.unshift(...retried);
    // A statement of nobody's, such as one that looks whether the lock is to be had, is no commit.
    const commits = jobs.filter(({ input }) => "tenant" in input).length - retried.length;
    return { commits, refused };
  }

  /** These come first again, but for those who waited long enough. */
  #waitForLock(jobs: readonly Job[]): void {
    this.#waiting.unshift(...jobs);
    const waitUntil = performance.now() - lockWaitMs;
    const over = this.#waiting.filter(({ since }) => since <= waitUntil);
    if (over.length > 0) this.#waiting = this.#waiting.filter(({ since }) => since > waitUntil);
    for (const job of over) job.reject(new StorageUnavailable("The database is locked by others."));
  }

  /** Refuses the first of those who wait. */
  #refuse(count: number, error: unknown): void {
    for (const job of this.#waiting.splice(0, count)) job.reject(error);
  }
}

function clockContention(): StorageUnavailable {
  return new StorageUnavailable("Too many concurrent writes to this tenant.");
}

function tooMany(): StorageUnavailable {
  return new StorageUnavailable(`${lockWaitersMax} commits wait for a lock already.`);
}

/** The writes for the tenant's next instant: `clocks` has those of tenants that write in the same transaction before. */
function prepareCommit(
  open: ConnectionPair,
  clocks: Map<string, number>,
  { tenant, now, propose }: QueuedCommit,
): WriteJob | undefined {
  const at = nextCommitTime(now, clocks.get(tenant) ?? open.clock(tenant));
  const writes = propose(at);
  if (writes.length === 0) return undefined;
  const clock = advanceClock(at, writes);
  clocks.set(tenant, clock);
  return { tenant, at, clock, writes };
}
