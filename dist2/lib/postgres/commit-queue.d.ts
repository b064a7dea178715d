import type { Pool } from "pg";
import { type Proposal } from "./plan.ts";
/** A transaction that was made: the commits that shared it, none of which was refused, and its time from a connection on. */
export type CommitBatch = {
    readonly commits: number;
    readonly refused: number;
    readonly durationMs: number;
};
/**
 * The commits of this process, tenant by tenant in the order in which they came: they would wait for each other in the
 * database anyway, each with a connection. Those that wait together share one transaction and one fsync; where one of
 * them is refused, each is made alone.
 */
export declare class CommitQueue {
    #private;
    constructor(pool: Pool, onCommit?: (batch: CommitBatch) => void);
    /** Resolves once the commit is durable. */
    add(tenant: string, proposal: Proposal): Promise<void>;
    /** Resolves once nothing is waiting. */
    idle(): Promise<void>;
}
