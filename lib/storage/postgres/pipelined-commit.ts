import type { PoolClient } from "pg";
import pg from "pg";
import type { CommitPlan } from "./commit-plan.ts";
import { isNoRowMatched } from "./storage-errors.ts";
import { batchStatements, beginSql, combine, isCommitted, resetTimeoutSql } from "./transaction.ts";
import type { WriteStatement } from "./write-statements.ts";

/**
 * What became of it: where the clock stands now that it is made, or nothing happened. `stepwise`: the tenant's next
 * instant is another by now, or there is more to it than one statement can do.
 */
export type PipelineOutcome = number | "retry_in_steps" | { readonly refusal: unknown };

/** A setting that only the transaction has which has locked the clock, until its end. */
const transactionMarker = "crm_integrations.begun_for";

/**
 * Commits what is planned in one round trip: begin and lock, write, and COMMIT are sent together, over a connection that
 * is pipelined. The lock fails where the plan is not right, the writes where one of them must touch a row and does not;
 * then PostgreSQL takes no more of this transaction, and its COMMIT is a ROLLBACK.
 * @throws errors of the driver where the COMMIT was not answered: whether it happened is unknown
 */
export async function commitPipelined(client: PoolClient, tenant: string, plan: CommitPlan): Promise<PipelineOutcome> {
  const [id, first] = [pg.escapeLiteral(tenant), String(plan.first)];
  const clock = `SELECT FROM tenant_clocks WHERE tenant_id = ${id} AND last_at < ${first} FOR UPDATE`;
  const lock = `SELECT 1 / count(*) FROM (${clock}) AS clock`;
  // A first message that fails before its BEGIN would leave the second to be committed on its own.
  const tick: WriteStatement = {
    sql: "UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ? AND current_setting(?, true) = ?",
    values: [plan.finalClock, tenant, transactionMarker, first],
  };
  const [round, ...more] = batchStatements(tenant, plan.writes, tick);
  if (round === undefined || more.length > 0) return "retry_in_steps";
  const writing = combine([...round.steps, tick], (name, step) => {
    const mustTouch = step === tick || step.mustMatch !== undefined;
    return `${mustTouch ? "1 / " : ""}(SELECT count(*) FROM ${name})`;
  });
  const [begun, written, ended] = await Promise.allSettled([
    client.query(`${beginSql}; ${lock}; ${resetTimeoutSql}; SET LOCAL ${transactionMarker} = ${first}`),
    client.query(writing),
    client.query("COMMIT"),
  ]);
  if (ended.status === "rejected") throw ended.reason;
  if (begun.status === "rejected") return isNoRowMatched(begun.reason) ? "retry_in_steps" : { refusal: begun.reason };
  if (written.status === "rejected") return { refusal: written.reason };
  return isCommitted(ended.value) ? plan.finalClock : "retry_in_steps";
}
