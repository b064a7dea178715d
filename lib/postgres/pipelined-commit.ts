import type { PoolClient } from "pg";
import pg from "pg";
import type { Plan } from "./commit-plan.ts";
import { inOnePiece } from "./connection.ts";
import { isUntouched } from "./storage-errors.ts";
import { beginning, inOne, isCommitted, locked, roundsOf } from "./transaction.ts";
import type { Step } from "./write-statements.ts";

/**
 * What became of it: where the clock stands now that it is made, or nothing happened. `stepwise`: the tenant's next
 * instant is another by now, or there is more to it than one statement can do.
 */
export type Outcome = number | "stepwise" | { readonly refusal: unknown };

/** A setting that only the transaction has which has locked the clock, until its end. */
const begunFor = "crm_integrations.begun_for";

/**
 * Commits what is planned in one round trip: begin and lock, write, and COMMIT are sent together, over a connection that
 * is pipelined. The lock fails where the plan is not right, the writes where one of them must touch a row and does not;
 * then PostgreSQL takes no more of this transaction, and its COMMIT is a ROLLBACK.
 * @throws errors of the driver where the COMMIT was not answered: whether it happened is unknown
 */
export async function commitAtOnce(client: PoolClient, tenant: string, plan: Plan): Promise<Outcome> {
  const [id, first] = [pg.escapeLiteral(tenant), String(plan.first)];
  const clock = `SELECT FROM tenant_clocks WHERE tenant_id = ${id} AND last_at < ${first} FOR UPDATE`;
  const lock = `SELECT 1 / count(*) FROM (${clock}) AS clock`;
  // A first message that fails before its BEGIN would leave the second to be committed on its own.
  const tick: Step = {
    sql: "UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ? AND current_setting(?, true) = ?",
    values: [plan.reached, tenant, begunFor, first],
  };
  const [round, ...more] = roundsOf(tenant, plan.writes, tick);
  if (round === undefined || more.length > 0) return "stepwise";
  const writing = inOne([...round.steps, tick], (name, step) => {
    const mustTouch = step === tick || step.asserts !== undefined;
    return `${mustTouch ? "1 / " : ""}(SELECT count(*) FROM ${name})`;
  });
  const asked = inOnePiece(
    client,
    () =>
      [
        client.query(`${beginning}; ${lock}; ${locked}; SET LOCAL ${begunFor} = ${first}`),
        client.query(writing),
        client.query("COMMIT"),
      ] as const,
  );
  const [begun, written, ended] = await Promise.allSettled(asked);
  if (ended.status === "rejected") throw ended.reason;
  if (begun.status === "rejected") return isUntouched(begun.reason) ? "stepwise" : { refusal: begun.reason };
  if (written.status === "rejected") return { refusal: written.reason };
  return isCommitted(ended.value) ? plan.reached : "stepwise";
}
