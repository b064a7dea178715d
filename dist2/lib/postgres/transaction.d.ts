import type { ClientBase, QueryConfig } from "pg";
import type { Write } from "../storage.ts";
import { type Proposal } from "./plan.ts";
import { type Step } from "./write.ts";
/** Writes that go in one statement, their steps, and in the last round that of the clock. */
export type Round = {
    readonly writes: readonly Write[];
    readonly steps: readonly Step[];
    readonly tick?: Step;
};
type RunRound = (client: ClientBase, tenant: string, round: Round) => Promise<void>;
/**
 * Commits of one tenant on a connection, all or none: begin and lock the tenant's clock, write, commit; three round
 * trips where no record is written twice. Each gets an instant of its own. The row of the clock is locked until the
 * commit, so the order of instants is the order of commits. Answers where the clock stands then.
 * @param runRound `together`, or `inTurn` to learn which write is refused first, and why
 * @throws WriteConflict; what a proposal throws; errors of the driver
 */
export declare function transact(client: ClientBase, tenant: string, proposals: readonly Proposal[], runRound?: RunRound): Promise<number>;
/** A COMMIT that comes to a transaction that has failed succeeds too, as a ROLLBACK. */
export declare function isCommitted({ command }: {
    readonly command: string;
}): boolean;
/** Where that is refused, write by write: the first that cannot be made is told, with what is in its way just then. */
export declare const inTurn: RunRound;
/** Whatever the database's own settings are: who waited for the clock must see what was committed meanwhile. */
export declare const beginning: string;
export declare const locked = "SET LOCAL statement_timeout TO DEFAULT";
/**
 * As few statements as there can be. What one of them does to a record, the same one cannot see; and its references are
 * looked at when it ends, where what a later write inserts would be there already.
 */
export declare function roundsOf(tenant: string, writes: readonly Write[], tick: Step): Round[];
/**
 * Steps as one statement, and what it tells of each: PostgreSQL takes them in the order in which they are told of, and
 * last what is not told of. Each connection prepares it once where they are few.
 */
export declare function inOne(steps: readonly Step[], telling: (name: string, step: Step) => string): QueryConfig;
export {};
