import type { Database, Statement } from "better-sqlite3";
import { StorageUnavailable, type Write } from "../storage.ts";
import { faultOf, isBusy } from "./fault.ts";
import type { Writer } from "./writer.ts";

type Job = {
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** More commits than this do not share one transaction: the event loop is ours only for so long. */
const batchSizeMax = 128;
/** How long commits wait for a lock that another process holds, and how often they ask. */
const lockWaitMs = 5_000;
const lockPollMs = 20;

/**
 * Group commit: what arrives while the event loop turns once shares one transaction and one fsync, each commit
 * under a savepoint of its own. A commit is answered only once that transaction is on the disk.
 */
export class CommitQueue {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #begin: Statement;
  readonly #commit: Statement;
  #waiting: Job[] = [];
  #busySince: number | undefined;
  #scheduled = false;

  constructor(database: Database, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  add(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: () => this.#writer.apply(tenant, now, propose), resolve, reject });
      this.#schedule();
    });
  }

  /** Writes what is waiting, now. */
  drain(): void {
    while (this.#waiting.length > 0) {
      this.#flush();
      if (this.#busySince !== undefined) this.#refuseAll(new StorageUnavailable("The database is closed."));
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (this.#busySince === undefined) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), lockPollMs);
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0 || !this.#locked()) return;
    const batch = this.#waiting.splice(0, batchSizeMax);
    const outcome = this.#transact(batch);
    for (const job of batch) {
      const failure = outcome.get(job);
      if (failure === undefined) job.resolve();
      else job.reject(failure.error);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Whether the write lock is ours now. Where others hold it, comes back later, and gives up in the end. */
  #locked(): boolean {
    try {
      this.#begin.run();
      this.#busySince = undefined;
      return true;
    } catch (error) {
      this.#busySince ??= performance.now();
      const waitOn = isBusy(error) && performance.now() - this.#busySince < lockWaitMs;
      if (waitOn) this.#schedule();
      else this.#refuseAll(faultOf(error));
      return false;
    }
  }

  #refuseAll(error: unknown): void {
    this.#busySince = undefined;
    for (const job of this.#waiting.splice(0)) job.reject(error);
  }

  /** The jobs that failed, with why. All others are on the disk. */
  #transact(batch: readonly Job[]): Map<Job, { error: unknown }> {
    const failed = new Map<Job, { error: unknown }>();
    try {
      for (const job of batch) {
        const failure = this.#attempt(job);
        if (failure !== undefined) failed.set(job, failure);
        if (!this.#database.inTransaction)
          throw failure?.error ?? new StorageUnavailable("The transaction ended early.");
      }
      this.#commit.run();
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      // Also those refused before: what was in their way has gone with the rest.
      for (const job of batch) failed.set(job, { error: faultOf(error) });
    }
    return failed;
  }

  #attempt(job: Job): { error: unknown } | undefined {
    this.#database.exec("SAVEPOINT one");
    try {
      job.run();
      this.#database.exec("RELEASE one");
      return undefined;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK TO one; RELEASE one");
      return { error: faultOf(error) };
    }
  }
}
