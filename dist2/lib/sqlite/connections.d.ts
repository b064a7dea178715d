import type { Database } from "better-sqlite3";
import { type Standing } from "./standing.ts";
import { Statements } from "./statements.ts";
import type { CommitThreadOptions } from "./told.ts";
import { type Result, type Task } from "./transactions.ts";
/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export declare class Connections {
    #private;
    readonly reader: Database;
    readonly reads: Statements;
    /** What was opened; undefined in memory. */
    readonly standing: Standing | undefined;
    constructor(writer: Database, reader?: Database, apart?: CommitThreadOptions);
    get isOpen(): boolean;
    /**
     * Runs these in one transaction: on this thread at first, and on one of its own once that has taken a while, so that
     * reads do not wait for the disk. Never rejects.
     */
    transact(tasks: readonly Task[]): Promise<readonly Result[] | "busy">;
    /** The instant of the tenant's newest commit, 0 before its first. */
    clock(tenant: string): number;
    /** Whether all pages would fit into this many bytes: a file that only became shorter is not cut off. */
    fits(size: number): boolean;
    /** What a database was made with, and no other has; a copy has it too. */
    secret(): Uint8Array;
    close(): Promise<void>;
}
