import type { PoolClient } from "pg";
import type { Plan } from "./plan.ts";
/**
 * What became of it: where the clock stands now that it is made, or nothing happened. `stepwise`: the tenant's next
 * instant is another by now, or there is more to it than one statement can do.
 */
export type Outcome = number | "stepwise" | {
    readonly refusal: unknown;
};
/**
 * Commits what is planned in one round trip: begin and lock, write, and COMMIT are sent together, over a connection that
 * is pipelined. The lock fails where the plan is not right, the writes where one of them must touch a row and does not;
 * then PostgreSQL takes no more of this transaction, and its COMMIT is a ROLLBACK.
 * @throws errors of the driver where the COMMIT was not answered: whether it happened is unknown
 */
export declare function commitAtOnce(client: PoolClient, tenant: string, plan: Plan): Promise<Outcome>;
