import type { Database } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { workerEntry } from "./bundled-files.ts";
import { CommitWorker } from "./commit-worker-client.ts";
import { type FileIdentity, identifyFile } from "./file-system.ts";
import { openReader } from "./open.ts";
import type { CommitWorkerOptions, SqliteOptions } from "./options.ts";
import { latestVersion, migrations } from "./schema.ts";
import { StatementCache } from "./statement-cache.ts";
import { selectClockSql, TransactionRunner, type WriteJob, type WriteJobResult } from "./transaction-runner.ts";

/** Time that commits may block the event loop before a worker starts. */
const workerAfterMs = 100;
/** Limits of a commit on the calling thread: the duration of the last transaction, and the number of writes. */
const maxLoneMs = 5;
const maxLoneWrites = 10;

type Options = CommitWorkerOptions & Pick<SqliteOptions, "cacheMb"> & { readonly isSnapshot?: boolean };

/**
 * A writing and a reading connection to one database file. In memory and in a snapshot they are the same. Reads use the
 * open file. Writes fail if the path now holds another file.
 */
export class ConnectionPair {
  readonly reads: StatementCache;
  /** Whether a page or a record was read since the last transaction began. */
  hasRead = false;
  readonly #writer: Database;
  readonly #reader: Database;
  readonly #transactions: TransactionRunner;
  readonly #isSnapshot: boolean;
  readonly #workerOptions: CommitWorkerOptions;
  /** The identity of the opened file. Undefined in memory. */
  readonly #opened: FileIdentity | undefined;
  #size: number;
  #worker: CommitWorker | undefined;
  #blockedMs = 0;
  #hasTried = false;
  /** Whether the last transaction had a lone commit and was fast. */
  #wasLone = false;

  constructor(writer: Database, { isSnapshot = false, cacheMb, ...options }: Options = {}) {
    this.#writer = writer;
    this.#workerOptions = options;
    this.#transactions = new TransactionRunner(writer, latestVersion(migrations));
    this.#isSnapshot = isSnapshot;
    this.#reader = isSnapshot || writer.memory ? writer : openReader(writer.name, cacheMb);
    this.reads = new StatementCache(this.#reader);
    this.#opened = writer.memory ? undefined : identifyFile(writer.name);
    this.#size = this.#opened?.size ?? 0;
  }

  get isOpen(): boolean {
    return this.#reader.open;
  }

  /** Returns an error if this is a snapshot, or the file or its WAL was removed, replaced or truncated. */
  findWriteError(): StorageUnavailable | undefined {
    if (this.#isSnapshot) return new StorageUnavailable("A snapshot is read-only.");
    if (this.#opened === undefined) return undefined;
    const message = this.#describeChange(this.#opened, identifyFile(this.#writer.name));
    return message === undefined ? undefined : new StorageUnavailable(message);
  }

  #describeChange(opened: FileIdentity, found: FileIdentity | undefined): string | undefined {
    const { name } = this.#writer;
    if (found === undefined) return `${name} was deleted. Restore it.`;
    if (found.file !== opened.file && found.log !== opened.log)
      return "The database file was replaced while it was open. Restart the server to use the new file.";
    // SQLite would apply a WAL of the old file to the new one.
    if (found.file !== opened.file)
      return `${name} was replaced, but ${name}-wal belongs to the old file. Stop the server, remove ${name}-wal and start it again.`;
    if (found.log !== opened.log) return `${name}-wal was removed while it was open. Restart the server.`;
    if (found.size < this.#size && !this.#fitsAllPages(found.size))
      return `${name} was truncated to ${found.size} bytes. Restore it from a backup.`;
    this.#size = found.size;
    return undefined;
  }

  /** Returns whether a file of `size` bytes holds all pages. Files can shrink without being truncated. */
  #fitsAllPages(size: number): boolean {
    const pragma = (name: string): number => Number(this.#reader.pragma(name, { simple: true }));
    try {
      return size >= pragma("page_count") * pragma("page_size");
    } catch {
      // The first page is truncated.
      return false;
    }
  }

  /**
   * Runs jobs in one transaction, on the commit worker once it is ready. A commit that follows another without reads in
   * between, as those of a single client do, runs on the calling thread, because nothing waits for it. Never rejects.
   */
  async transact(jobs: readonly WriteJob[]): Promise<readonly WriteJobResult[]> {
    if (!this.#hasTried && this.#shouldStartWorker()) this.#worker = this.#start();
    if (this.#workerOptions.commitWorker) await this.#worker?.started;
    const isLone = !this.hasRead && isSmallCommit(jobs);
    this.hasRead = false;
    const onWorker = this.#worker?.isReady && !(isLone && this.#wasLone);
    const startedAt = performance.now();
    const pending = onWorker ? this.#worker?.execute(jobs) : undefined;
    const results = pending === undefined ? this.#transactions.run(jobs) : await pending;
    const durationMs = performance.now() - startedAt;
    if (pending === undefined) this.#blockedMs += durationMs;
    this.#wasLone = isLone && durationMs < maxLoneMs && this.#workerOptions.commitWorker === undefined;
    return results;
  }

  #shouldStartWorker(): boolean {
    return this.#workerOptions.commitWorker ?? this.#blockedMs > workerAfterMs;
  }

  /** Starts the worker once, without retries. */
  #start(): CommitWorker | undefined {
    this.#hasTried = true;
    const { onCommitWorkerError: onError } = this.#workerOptions;
    try {
      const code = workerEntry();
      return this.#opened && code && new CommitWorker(code, this.#writer.name, this.#opened, onError);
    } catch (error) {
      onError?.(error as Error);
      return undefined;
    }
  }

  /** Returns the tenant clock, 0 before the first commit. */
  clock(tenant: string): number {
    return Number(this.reads.rows(selectClockSql).get(tenant)?.[0] ?? 0);
  }

  async close(): Promise<void> {
    await this.#worker?.close();
    this.#reader.close();
    this.#writer.close();
  }
}

function isSmallCommit([job, ...others]: readonly WriteJob[]): boolean {
  return others.length === 0 && job !== undefined && "writes" in job && job.writes.length <= maxLoneWrites;
}
