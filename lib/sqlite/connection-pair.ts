import type { Database } from "better-sqlite3";
import { CommitThread } from "./commit-worker-client.ts";
import { type Standing, standingAt } from "./file-identity.ts";
import { openReader } from "./open.ts";
import type { CommitThreadOptions } from "./options.ts";
import { Statements } from "./statement-cache.ts";
import { type Result, type Task, Transactions } from "./transaction-runner.ts";
import { threadCode } from "./worker-entry.ts";
import { clockSql } from "./writer.ts";

/** How long commits may have stopped the event loop before they get a thread, which costs about as much to start. */
const threadAfterMs = 100;

/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export class Connections {
  readonly reader: Database;
  readonly reads: Statements;
  /** What was opened; undefined in memory. */
  readonly standing: Standing | undefined;
  readonly #writer: Database;
  readonly #transactions: Transactions;
  #thread: CommitThread | undefined;
  readonly #apart: CommitThreadOptions;
  #spentMs = 0;
  #hasTried = false;

  constructor(writer: Database, reader?: Database, apart: CommitThreadOptions = {}) {
    this.#writer = writer;
    this.#apart = apart;
    this.#transactions = new Transactions(writer);
    this.reader = reader ?? (writer.memory ? writer : openReader(writer.name));
    this.reads = new Statements(this.reader);
    this.standing = writer.memory ? undefined : standingAt(writer.name);
  }

  get isOpen(): boolean {
    return this.reader.open;
  }

  /**
   * Runs these in one transaction: on this thread at first, and on one of its own once that has taken a while, so that
   * reads do not wait for the disk. Never rejects.
   */
  async transact(tasks: readonly Task[]): Promise<readonly Result[] | "busy"> {
    if (!this.#hasTried && this.#pays()) this.#thread = this.#start();
    if (this.#apart.commitThread) await this.#thread?.started;
    const apart = this.#thread?.isReady ? this.#thread.transact(tasks) : undefined;
    if (apart !== undefined) return apart;
    const begun = performance.now();
    const results = this.#transactions.run(tasks);
    this.#spentMs += performance.now() - begun;
    return results;
  }

  #pays(): boolean {
    return this.#apart.commitThread ?? this.#spentMs > threadAfterMs;
  }

  /** Once: where threads are forbidden, they stay so. */
  #start(): CommitThread | undefined {
    this.#hasTried = true;
    const { onCommitThreadLost: onLost } = this.#apart;
    try {
      const code = threadCode();
      return this.standing && code && new CommitThread(code, this.#writer.name, this.standing, onLost);
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
  fits(size: number): boolean {
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
