import type { Database } from "better-sqlite3";
import { type Write } from "../storage.ts";
/** The writes of one commit made at `now`, the instant they are for, and where the tenant's clock stands after them. */
export type Proposed = {
    readonly tenant: string;
    readonly now: number;
    readonly at: number;
    readonly clock: number;
    readonly writes: readonly Write[];
};
export declare const clockSql = "SELECT last_at FROM tenant_clocks WHERE tenant_id = ?";
/** The instant of a commit at this time to a tenant whose newest commit had that one, 0 where there was none. */
export declare function nextInstant(now: number, last: number): number;
/** Applies commits inside the transaction that is open; to begin and end it is the queue's part. */
export declare class Writer {
    #private;
    constructor(database: Database);
    /** Whether some of what was applied last is done and the rest is not. What fails in its first statement leaves nothing. */
    get isHalfway(): boolean;
    /** Applies what was proposed and moves the tenant's clock; false where its next instant is another one. */
    apply({ tenant, now, at, clock, writes }: Proposed): boolean;
}
