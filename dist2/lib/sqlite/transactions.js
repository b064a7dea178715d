import { StorageUnavailable } from "../storage.js";
import { faultOf, isBusy } from "./fault.js";
import { Statements } from "./statements.js";
import { Writer } from "./writer.js";
/** The connection of one thread that writes. */
export class Transactions {
    #database;
    #writer;
    #statements;
    #begin;
    #commit;
    #savepoint;
    #release;
    constructor(database) {
        this.#database = database;
        this.#writer = new Writer(database);
        this.#statements = new Statements(database);
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
    run(tasks) {
        const results = this.#transact(tasks, (task) => this.#attempt(task));
        if (results !== "halfway")
            return results;
        return this.#transact(tasks, (task) => this.#attemptApart(task));
    }
    #transact(tasks, attempt) {
        try {
            this.#begin.run();
        }
        catch (error) {
            return isBusy(error) ? "busy" : tasks.map(() => ({ error: faultOf(error) }));
        }
        try {
            const results = [];
            // Commits of one tenant keep their order.
            const late = new Set();
            for (const task of tasks) {
                const isLate = "tenant" in task && late.has(task.tenant);
                const result = isLate ? "late" : attempt(task);
                if (result === "late" && "tenant" in task)
                    late.add(task.tenant);
                if (result === "halfway") {
                    this.#database.exec("ROLLBACK");
                    return result;
                }
                results.push(result);
            }
            this.#commit.run();
            return results;
        }
        catch (error) {
            if (this.#database.inTransaction)
                this.#database.exec("ROLLBACK");
            // Also those refused before: what was in their way has gone with the rest.
            return tasks.map(() => ({ error: faultOf(error) }));
        }
    }
    /** What became of one; "halfway" where some of it must be undone. @throws where the whole transaction ended with it */
    #attempt(task) {
        try {
            return this.#do(task);
        }
        catch (error) {
            if (!this.#database.inTransaction)
                throw error ?? new StorageUnavailable("The transaction ended early.");
            return this.#writer.isHalfway ? "halfway" : { error: faultOf(error) };
        }
    }
    /** The same under a savepoint. */
    #attemptApart(task) {
        this.#savepoint.run();
        try {
            const result = this.#do(task);
            this.#release.run();
            return result;
        }
        catch (error) {
            if (!this.#database.inTransaction)
                throw error ?? new StorageUnavailable("The transaction ended early.");
            this.#database.exec("ROLLBACK TO one; RELEASE one");
            return { error: faultOf(error) };
        }
    }
    #do(task) {
        if ("sql" in task)
            return { changes: this.#statements.get(task.sql).run(...task.values).changes };
        return this.#writer.apply(task) ? { changes: task.writes.length } : "late";
    }
}
