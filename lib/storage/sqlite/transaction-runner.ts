import type { Database, Statement as Prepared } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { StatementCache } from "./statement-cache.ts";
import { isBusy, toStorageError } from "./storage-errors.ts";
import { type PreparedCommit, Writer } from "./writer.ts";

/** A statement that doesn't belong to one tenant. */
export type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** The work of one caller in a transaction. */
export type WriteJob = PreparedCommit | Statement;

/**
 * The result of a job. Nothing was written for `busy` and `clock_moved`: another process holds the lock, or the commit
 * time isn't later than the tenant clock any more.
 */
export type WriteJobResult = { readonly changes: number } | "busy" | "clock_moved" | { readonly error: unknown };

/** Runs jobs in transactions on one connection. */
export class TransactionRunner {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #statements: StatementCache;
  readonly #begin: Prepared;
  readonly #commit: Prepared;

  constructor(database: Database) {
    this.#database = database;
    this.#writer = new Writer(database);
    this.#statements = new StatementCache(database);
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  /**
   * Runs all jobs in one transaction. If one of them fails after its first write, the transaction is rolled back and
   * each job runs in its own. A job with `changes` is durable when this returns.
   */
  run(jobs: readonly WriteJob[]): readonly WriteJobResult[] {
    return this.#transact(jobs) ?? jobs.map((job) => this.#transact([job])?.[0] ?? missingResult());
  }

  /** Returns undefined if a job of several failed after its first write. Nothing was written then. */
  #transact(jobs: readonly WriteJob[]): readonly WriteJobResult[] | undefined {
    try {
      this.#begin.run();
    } catch (error) {
      return jobs.map(() => (isBusy(error) ? "busy" : { error: toStorageError(error) }));
    }
    try {
      const results: WriteJobResult[] = [];
      for (const job of jobs) {
        const result = this.#attempt(job);
        if (hasFailed(result) && this.#writer.isPartial) {
          this.#database.exec("ROLLBACK");
          return jobs.length === 1 ? [result] : undefined;
        }
        results.push(result);
      }
      this.#commit.run();
      return results;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      // Rejected jobs get this error as well: the record that they conflict with was rolled back.
      return jobs.map(() => ({ error: toStorageError(error) }));
    }
  }

  /** @throws if the error ended the transaction */
  #attempt(job: WriteJob): WriteJobResult {
    try {
      if ("sql" in job) return { changes: this.#statements.get(job.sql).run(...job.values).changes };
      return this.#writer.apply(job) ? { changes: job.writes.length } : "clock_moved";
    } catch (error) {
      if (!this.#database.inTransaction) throw error ?? new StorageUnavailable("The transaction ended early.");
      return { error: toStorageError(error) };
    }
  }
}

function hasFailed(result: WriteJobResult): boolean {
  return typeof result === "object" && "error" in result;
}

function missingResult(): WriteJobResult {
  return { error: new StorageUnavailable("The commit has no result.") };
}
