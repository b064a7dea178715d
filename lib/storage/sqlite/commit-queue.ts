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
  /** How often it came too late for its instant. */
  late: number;
};

/** More commits than this do not share one transaction: others wait until it ends. */
const batchSizeMax = 128;
/** How long a commit waits for a lock that another process holds. */
const lockWaitMs = 5_000;
/** After how long the lock is asked for again, time after time; the last counts for all later ones. */
const lockRetryMs = [1, 2, 5, 10, 20];
/** Commits that wait for a lock of others at a time: callers that only read are to find room beside them. */
const lockWaitersMax = 1_000;

/** After so many others each of which took its instant a commit is refused. */
const lateMax = 200;

/**
 * Group commit: what arrives while a transaction runs, or the event loop turns once, shares the next one and its
 * fsync. A commit is answered only once its transaction is on the disk.
 */
export class CommitQueue {
  readonly #place: ConnectionSource;
  readonly #onCommit: ((batch: CommitBatch) => void) | undefined;
  #waiting: Job[] = [];
  /** How many commits of a tenant may share the next transaction, where that is fewer than all. */
  readonly #batchLimits = new Map<string, number>();
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
      const job = { input, since: performance.now(), resolve, reject, late: 0 };
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
    const batch = open === undefined ? [] : this.#prepare(open, this.#next());
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
    this.#adaptBatchLimits(jobs, results);
    const told = this.#answer(jobs, results);
    if (this.#waiting.length === 0) this.#batchLimits.clear();
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

  /** Takes those whose turn it is. */
  #next(): Job[] {
    if (this.#batchLimits.size === 0) return this.#waiting.splice(0, batchSizeMax);
    const rooms = new Map(this.#batchLimits);
    const next: Job[] = [];
    const later: Job[] = [];
    for (const job of this.#waiting) {
      const tenant = tenantOf(job);
      const room = rooms.get(tenant) ?? batchSizeMax;
      rooms.set(tenant, room - 1);
      (room > 0 && next.length < batchSizeMax ? next : later).push(job);
    }
    this.#waiting = later;
    return next;
  }

  /**
   * All of a tenant that come behind a refused one are too late for their instants. Where one after the other is refused,
   * to propose many at a time would be work for nothing, and leave others no room.
   */
  #adaptBatchLimits(jobs: readonly Job[], results: readonly WriteJobResult[]): void {
    if (this.#batchLimits.size === 0 && !results.includes("clock_moved")) return;
    const tenantsWhere = (holds: (result: WriteJobResult | undefined) => boolean): Set<string> =>
      new Set(jobs.filter((_, index) => holds(results[index])).map(tenantOf));
    const late = tenantsWhere((result) => result === "clock_moved");
    const refused = tenantsWhere((result) => typeof result === "object" && "error" in result);
    for (const tenant of new Set(jobs.map(tenantOf))) {
      const room = this.#batchLimits.get(tenant) ?? batchSizeMax;
      const next = !late.has(tenant) ? room * 2 : refused.has(tenant) ? Math.ceil(room / 2) : room;
      if (next < batchSizeMax) this.#batchLimits.set(tenant, next);
      else this.#batchLimits.delete(tenant);
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

  /** Tells each what became of it. Who came too late for its instant waits for another. */
  #answer(jobs: readonly Job[], results: readonly WriteJobResult[]): Omit<CommitBatch, "durationMs"> {
    let refused = 0;
    let gone: { readonly error: unknown } | undefined;
    try {
      this.#place.assertUnchanged();
    } catch (error) {
      gone = { error };
    }
    const late: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      const result = gone ?? results[index] ?? { error: new StorageUnavailable("The commit was not answered.") };
      if (result === "clock_moved" && ++job.late < lateMax) late.push(job);
      else if (result !== "clock_moved" && "changes" in result) job.resolve(result.changes);
      else {
        refused++;
        job.reject(result === "clock_moved" ? clockContention() : result.error);
      }
    }
    this.#waiting.unshift(...late);
    // A statement of nobody's, such as one that looks whether the lock is to be had, is no commit.
    const commits = jobs.filter(({ input }) => "tenant" in input).length - late.length;
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

/** Whose clock it moves; "" for what is not of one tenant. */
function tenantOf({ input }: Job): string {
  return "tenant" in input ? input.tenant : "";
}

function clockContention(): StorageUnavailable {
  return new StorageUnavailable("Others write to this tenant all the time.");
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
  return { tenant, now, at, clock, writes };
}
