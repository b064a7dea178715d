import type { Database, Statement as Prepared } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { StatementCache } from "./statement-cache.ts";
import { isBusy, toStorageError } from "./storage-errors.ts";
import { type PreparedCommit, Writer } from "./writer.ts";

/** A statement that is not of one tenant. */
export type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** What a transaction is to do for one who waits. */
export type WriteJob = PreparedCommit | Statement;

/** What became of a task. `clock_moved`: the commit time isn't later than the tenant clock any more. */
export type WriteJobResult = { readonly changes: number } | "clock_moved" | { readonly error: unknown };

/** The connection of one thread that writes. */
export class TransactionRunner {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #statements: StatementCache;
  readonly #begin: Prepared;
  readonly #commit: Prepared;
  readonly #savepoint: Prepared;
  readonly #release: Prepared;

  constructor(database: Database) {
    this.#database = database;
    this.#writer = new Writer(database);
    this.#statements = new StatementCache(database);
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#savepoint = database.prepare("SAVEPOINT one");
    this.#release = database.prepare("RELEASE one");
  }

  /**
   * What became of each task: all are in one transaction, and what is not refused is on the disk. "busy" where another
   * process holds the lock, and nothing was done. Under a savepoint SQLite copies each page that is changed, so they
   * have one each only where one of them failed halfway.
   */
  run(tasks: readonly WriteJob[]): readonly WriteJobResult[] | "busy" {
    const results = this.#transact(tasks, (task) => this.#attempt(task));
    if (results !== "partial") return results;
    return this.#transact(tasks, (task) => this.#attemptApart(task)) as readonly WriteJobResult[] | "busy";
  }

  #transact(
    tasks: readonly WriteJob[],
    attempt: (task: WriteJob) => WriteJobResult | "partial",
  ): readonly WriteJobResult[] | "busy" | "partial" {
    try {
      this.#begin.run();
    } catch (error) {
      return isBusy(error) ? "busy" : tasks.map(() => ({ error: toStorageError(error) }));
    }
    try {
      const results: WriteJobResult[] = [];
      for (const task of tasks) {
        const result = attempt(task);
        if (result === "partial") {
          this.#database.exec("ROLLBACK");
          return result;
        }
        results.push(result);
      }
      this.#commit.run();
      return results;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      // Also those refused before: what was in their way has gone with the rest.
      return tasks.map(() => ({ error: toStorageError(error) }));
    }
  }

  /** What became of one; "partial" where some of it must be undone. @throws where the whole transaction ended with it */
  #attempt(task: WriteJob): WriteJobResult | "partial" {
    try {
      return this.#do(task);
    } catch (error) {
      if (!this.#database.inTransaction) throw error ?? new StorageUnavailable("The transaction ended early.");
      return this.#writer.isPartial ? "partial" : { error: toStorageError(error) };
    }
  }

  /** The same under a savepoint. */
  #attemptApart(task: WriteJob): WriteJobResult {
    this.#savepoint.run();
    try {
      const result = this.#do(task);
      this.#release.run();
      return result;
    } catch (error) {
      if (!this.#database.inTransaction) throw error ?? new StorageUnavailable("The transaction ended early.");
      this.#database.exec("ROLLBACK TO one; RELEASE one");
      return { error: toStorageError(error) };
    }
  }

  #do(task: WriteJob): WriteJobResult {
    if ("sql" in task) return { changes: this.#statements.get(task.sql).run(...task.values).changes };
    return this.#writer.apply(task) ? { changes: task.writes.length } : "clock_moved";
  }
}
