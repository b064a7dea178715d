import type { Database } from "better-sqlite3";
import { type Proposed } from "./writer.ts";
/** A statement that is not of one tenant. */
export type Statement = {
    readonly sql: string;
    readonly values: readonly unknown[];
};
/** What a transaction is to do for one who waits. */
export type Task = Proposed | Statement;
/** What became of a task. `late`: by now the tenant's next instant is another than the one it was made for. */
export type Result = {
    readonly changes: number;
} | "late" | {
    readonly error: unknown;
};
/** The connection of one thread that writes. */
export declare class Transactions {
    #private;
    constructor(database: Database);
    /**
     * What became of each task: all are in one transaction, and what is not refused is on the disk. "busy" where another
     * process holds the lock, and nothing was done. Under a savepoint SQLite copies each page that is changed, so they
     * have one each only where one of them failed halfway.
     */
    run(tasks: readonly Task[]): readonly Result[] | "busy";
}
