import type { Database } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { workerEntry } from "./bundled-files.ts";
import { CommitWorker } from "./commit-worker-client.ts";
import { type FileIdentity, identifyFile } from "./file-system.ts";
import { openReader, openWriter } from "./open.ts";
import type { CommitWorkerOptions } from "./options.ts";
import { toDatabaseError } from "./storage-errors.ts";
import {
  clockSql,
  StatementCache,
  TransactionRunner,
  type WriteJob,
  type WriteJobResult,
} from "./transaction-runner.ts";

/** Time that commits may block the event loop before a worker starts. */
const workerAfterMs = 100;

/** A writing and a reading connection to one database. In memory they are the same. */
export class ConnectionPair {
  readonly reader: Database;
  readonly reads: StatementCache;
  /** The identity of the opened file. Undefined in memory. */
  readonly fileIdentity: FileIdentity | undefined;
  readonly #writer: Database;
  readonly #transactions: TransactionRunner;
  #worker: CommitWorker | undefined;
  readonly #workerOptions: CommitWorkerOptions;
  #blockedMs = 0;
  #hasTried = false;

  constructor(writer: Database, reader?: Database, options: CommitWorkerOptions = {}) {
    this.#writer = writer;
    this.#workerOptions = options;
    this.#transactions = new TransactionRunner(writer);
    this.reader = reader ?? (writer.memory ? writer : openReader(writer.name));
    this.reads = new StatementCache(this.reader);
    this.fileIdentity = writer.memory ? undefined : identifyFile(writer.name);
  }

  get isOpen(): boolean {
    return this.reader.open;
  }

  /** Runs jobs in one transaction, on the commit worker once it is ready. Never rejects. */
  async transact(jobs: readonly WriteJob[]): Promise<readonly WriteJobResult[]> {
    if (!this.#hasTried && this.#shouldStartWorker()) this.#worker = this.#start();
    if (this.#workerOptions.commitWorker) await this.#worker?.started;
    const pending = this.#worker?.isReady ? this.#worker.execute(jobs) : undefined;
    if (pending !== undefined) return pending;
    const startedAt = performance.now();
    const results = this.#transactions.run(jobs);
    this.#blockedMs += performance.now() - startedAt;
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
      return this.fileIdentity && code && new CommitWorker(code, this.#writer.name, this.fileIdentity, onError);
    } catch (error) {
      onError?.(error as Error);
      return undefined;
    }
  }

  /** Returns the tenant clock, 0 before the first commit. */
  clock(tenant: string): number {
    return Number(this.reads.rows(clockSql).get(tenant)?.[0] ?? 0);
  }

  /** Returns whether a file of `size` bytes holds all pages. Files can shrink without being truncated. */
  fitsAllPages(size: number): boolean {
    const pragma = (name: string): number => Number(this.reader.pragma(name, { simple: true }));
    try {
      return size >= pragma("page_count") * pragma("page_size");
    } catch {
      // The first page is truncated.
      return false;
    }
  }

  /** Returns the cursor secret. Copies of a database share it. */
  secret(): Uint8Array {
    return this.reads.get("SELECT value FROM settings WHERE name = 'cursor_secret'").get()?.value as Uint8Array;
  }

  async close(): Promise<void> {
    await this.#worker?.close();
    this.reader.close();
    this.#writer.close();
  }
}

/** The connections of a storage, and the check that they still belong to the file at the path. */
export type GuardedConnections = Pick<DatabaseFile, "connections" | "assertUnchanged" | "close">;

/** Guards the database file. Reads use the open file. Writes fail if the path now holds another file. */
export class DatabaseFile {
  readonly connections: ConnectionPair;
  readonly #path: string;
  #size: number;

  /** @throws DatabaseError */
  constructor(path: string, open: (path: string) => Database = openWriter, options: CommitWorkerOptions = {}) {
    this.#path = path;
    const database = open(path);
    try {
      this.connections = new ConnectionPair(database, undefined, options);
    } catch (error) {
      database.close();
      throw toDatabaseError(error, path);
    }
    this.#size = this.connections.fileIdentity?.size ?? 0;
  }

  /** @throws StorageUnavailable if the file or its WAL was removed, replaced or truncated since it was opened */
  assertUnchanged(): void {
    const { fileIdentity: opened } = this.connections;
    if (opened === undefined) return;
    const [path, found] = [this.#path, identifyFile(this.#path)];
    if (found === undefined) throw new StorageUnavailable(`${path} was deleted. Restore it.`);
    if (found.file !== opened.file) throw new StorageUnavailable(replacedMessage(path, found.log === opened.log));
    if (found.log !== opened.log)
      throw new StorageUnavailable(`${path}-wal was removed while it was open. Restart the server.`);
    if (found.size < this.#size && !this.connections.fitsAllPages(found.size))
      throw new StorageUnavailable(`${path} was truncated to ${found.size} bytes. Restore it from a backup.`);
    this.#size = found.size;
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

/** SQLite would apply a WAL of the old file to the new one. */
function replacedMessage(path: string, isOldWal: boolean): string {
  if (isOldWal)
    return `${path} was replaced, but ${path}-wal belongs to the old file. Stop the server, remove ${path}-wal and start it again.`;
  return "The database file was replaced while it was open. Restart the server to use the new file.";
}
