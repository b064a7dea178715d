import type { Database } from "better-sqlite3";
import { CommitWorker } from "./commit-worker-client.ts";
import { type FileIdentity, identifyFile } from "./file-identity.ts";
import { openReader } from "./open.ts";
import type { CommitWorkerOptions } from "./options.ts";
import { StatementCache } from "./statement-cache.ts";
import { TransactionRunner, type WriteJob, type WriteJobResult } from "./transaction-runner.ts";
import { workerEntry } from "./worker-entry.ts";
import { clockSql } from "./writer.ts";

/** How long commits may have stopped the event loop before they get a thread, which costs about as much to start. */
const threadAfterMs = 100;

/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export class ConnectionPair {
  readonly reader: Database;
  readonly reads: StatementCache;
  /** What was opened; undefined in memory. */
  readonly fileIdentity: FileIdentity | undefined;
  readonly #writer: Database;
  readonly #transactions: TransactionRunner;
  #thread: CommitWorker | undefined;
  readonly #workerOptions: CommitWorkerOptions;
  #spentMs = 0;
  #hasTried = false;

  constructor(writer: Database, reader?: Database, apart: CommitWorkerOptions = {}) {
    this.#writer = writer;
    this.#workerOptions = apart;
    this.#transactions = new TransactionRunner(writer);
    this.reader = reader ?? (writer.memory ? writer : openReader(writer.name));
    this.reads = new StatementCache(this.reader);
    this.fileIdentity = writer.memory ? undefined : identifyFile(writer.name);
  }

  get isOpen(): boolean {
    return this.reader.open;
  }

  /**
   * Runs these in one transaction: on this thread at first, and on one of its own once that has taken a while, so that
   * reads do not wait for the disk. Never rejects.
   */
  async transact(tasks: readonly WriteJob[]): Promise<readonly WriteJobResult[]> {
    if (!this.#hasTried && this.#shouldStartWorker()) this.#thread = this.#start();
    if (this.#workerOptions.commitWorker) await this.#thread?.started;
    const apart = this.#thread?.isReady ? this.#thread.execute(tasks) : undefined;
    if (apart !== undefined) return apart;
    const begun = performance.now();
    const results = this.#transactions.run(tasks);
    this.#spentMs += performance.now() - begun;
    return results;
  }

  #shouldStartWorker(): boolean {
    return this.#workerOptions.commitWorker ?? this.#spentMs > threadAfterMs;
  }

  /** Once: where threads are forbidden, they stay so. */
  #start(): CommitWorker | undefined {
    this.#hasTried = true;
    const { onCommitWorkerError: onLost } = this.#workerOptions;
    try {
      const code = workerEntry();
      return this.fileIdentity && code && new CommitWorker(code, this.#writer.name, this.fileIdentity, onLost);
    } catch (error) {
      onLost?.(error as Error);
      return undefined;
    }
  }

  /** The instant of the tenant's newest commit, 0 before its first. */
  clock(tenant: string): number {
    return Number(this.reads.rows(clockSql).get(tenant)?.[0] ?? 0);
  }

  /** Whether all pages would fit into this many bytes: a file that only became shorter is not cut off. */
  fitsAllPages(size: number): boolean {
    const ask = (name: string): number => Number(this.reader.pragma(name, { simple: true }));
    try {
      return size >= ask("page_count") * ask("page_size");
    } catch {
      // Even the first page is not whole.
      return false;
    }
  }

  /** What a database was made with, and no other has; a copy has it too. */
  secret(): Uint8Array {
    return this.reads.get("SELECT value FROM settings WHERE name = 'cursor_secret'").get()?.value as Uint8Array;
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.reader.close();
    this.#writer.close();
  }
}
