import { StorageUnavailable } from "../storage.ts";
import type { Connections } from "./connections.ts";
import { faultOf, isBusy } from "./fault.ts";
import type { PlaceLike } from "./place.ts";
import type { CommitBatch } from "./told.ts";

type Job = {
  readonly run: (open: Connections) => void;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** More commits than this do not share one transaction: the event loop is ours only for so long. */
const batchSizeMax = 128;
/** How long a commit waits for a lock that another process holds. */
const lockWaitMs = 5_000;
/** After how long the lock is asked for again, time after time; the last counts for all later ones. */
const lockPollsMs = [1, 2, 5, 10, 20];
/** Commits that wait for a lock of others at a time: callers that only read are to find room beside them. */
const lockWaitersMax = 1_000;

/**
 * Group commit: what arrives while the event loop turns once shares one transaction and one fsync, each commit
 * under a savepoint of its own. A commit is answered only once that transaction is on the disk.
 */
export class CommitQueue {
  readonly #place: PlaceLike;
  readonly #onCommit: ((batch: CommitBatch) => void) | undefined;
  #waiting: Job[] = [];
  /** How often the lock was asked for in vain since it was last ours. */
  #polls = 0;
  #scheduled = false;

  constructor(place: PlaceLike, onCommit?: (batch: CommitBatch) => void) {
    this.#place = place;
    this.#onCommit = onCommit;
  }

  /** Runs this inside a transaction, and resolves once it is durable. @throws StorageUnavailable */
  add(run: (open: Connections) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = { run, since: performance.now(), resolve, reject };
      if (this.#polls > 0 && this.#waiting.length >= lockWaitersMax) reject(new StorageUnavailable("Too many wait."));
      else this.#waiting.push(job);
      this.#schedule();
    });
  }

  /** Writes what is waiting, now. */
  drain(): void {
    while (this.#waiting.length > 0) {
      this.#flush();
      if (this.#polls > 0) this.#refuse(this.#waiting.length, new StorageUnavailable("The database is closed."));
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    if (this.#polls === 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), lockPollsMs[this.#polls - 1] ?? lockPollsMs.at(-1));
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    const open = this.#begin();
    if (open === undefined) return;
    const batch = this.#waiting.splice(0, batchSizeMax);
    const begun = performance.now();
    const outcome = this.#transact(open, batch);
    const durationMs = performance.now() - begun;
    for (const job of batch) {
      const failure = outcome.get(job);
      if (failure === undefined) job.resolve();
      else job.reject(failure.error);
    }
    this.#schedule();
    this.#onCommit?.({ commits: batch.length, refused: outcome.size, durationMs });
  }

  /** The database with its write lock. Where others hold that, comes back later, and refuses who waited long enough. */
  #begin(): Connections | undefined {
    try {
      const open = this.#place.standing();
      open.begin.run();
      this.#polls = 0;
      return open;
    } catch (error) {
      const waitUntil = isBusy(error) ? performance.now() - lockWaitMs : Number.POSITIVE_INFINITY;
      const over = this.#waiting.findIndex(({ since }) => since > waitUntil);
      this.#polls = isBusy(error) ? this.#polls + 1 : 0;
      this.#refuse(over < 0 ? this.#waiting.length : over, faultOf(error));
      this.#schedule();
      return undefined;
    }
  }

  /** Refuses the first of those who wait. */
  #refuse(count: number, error: unknown): void {
    for (const job of this.#waiting.splice(0, count)) job.reject(error);
  }

  /** The jobs that failed, with why. All others are on the disk. */
  #transact(open: Connections, batch: readonly Job[]): Map<Job, { error: unknown }> {
    const { database } = open;
    const failed = new Map<Job, { error: unknown }>();
    try {
      for (const job of batch) {
        const failure = attempt(job, open);
        if (failure !== undefined) failed.set(job, failure);
        if (!database.inTransaction) throw failure?.error ?? new StorageUnavailable("The transaction ended early.");
      }
      open.commit.run();
      this.#place.assertStands();
    } catch (error) {
      if (database.inTransaction) database.exec("ROLLBACK");
      // Also those refused before: what was in their way has gone with the rest.
      for (const job of batch) failed.set(job, { error: faultOf(error) });
    }
    return failed;
  }
}

function attempt(job: Job, open: Connections): { error: unknown } | undefined {
  const { database } = open;
  open.savepoint.run();
  try {
    job.run(open);
    open.release.run();
    return undefined;
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK TO one; RELEASE one");
    return { error: faultOf(error) };
  }
}
