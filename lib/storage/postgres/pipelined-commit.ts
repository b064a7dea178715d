import type { PoolClient } from "pg";
import pg from "pg";
import { isNoRowMatched } from "./storage-errors.ts";
import { beginSql, type CommitPlan, isCommitted, resetTimeoutSql } from "./transaction.ts";
import { batchWrites, combineSteps, type WriteStatement } from "./write-statements.ts";

/**
 * The tenant clock after the commit, or why nothing was committed. `retry_in_steps`: the tenant clock isn't the
 * expected one, or the writes need more than one statement.
 */
export type PipelineOutcome = number | "retry_in_steps" | { readonly rejection: unknown };

/** A setting that exists only in the transaction that locked the tenant clock. */
const transactionMarker = "crm_integrations.begun_for";

/**
 * Commits a plan in one round trip over a pipelined connection: sends begin and lock, write, and COMMIT together. A
 * division by zero aborts the transaction if the clock isn't before the plan or a row doesn't match. COMMIT then
 * rolls back.
 * @throws errors of the driver if COMMIT got no response. It is unknown whether it happened.
 */
export async function commitPipelined(client: PoolClient, tenant: string, plan: CommitPlan): Promise<PipelineOutcome> {
  const [id, first] = [pg.escapeLiteral(tenant), String(plan.firstCommitTime)];
  const clock = `SELECT FROM tenant_clocks WHERE tenant_id = ${id} AND last_at < ${first} FOR UPDATE`;
  const lock = `SELECT 1 / count(*) FROM (${clock}) AS clock`;
  // If the first message fails before its BEGIN, the writes would be committed on their own. Only the marker prevents it.
  const clockStatement: WriteStatement = {
    sql: "UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ? AND current_setting(?, true) = ?",
    values: [plan.finalClock, tenant, transactionMarker, first],
  };
  const [batch, ...others] = batchWrites(tenant, plan.writes, clockStatement);
  if (batch === undefined || others.length > 0) return "retry_in_steps";
  const writeSql = combineSteps([...batch.steps, clockStatement], (name, step) => {
    const mustMatch = step === clockStatement || step.mustMatch !== undefined;
    return `${mustMatch ? "1 / " : ""}(SELECT count(*) FROM ${name})`;
  });
  const [begun, written, ended] = await Promise.allSettled([
    client.query(`${beginSql}; ${lock}; ${resetTimeoutSql}; SET LOCAL ${transactionMarker} = ${first}`),
    client.query(writeSql),
    client.query("COMMIT"),
  ]);
  if (ended.status === "rejected") throw ended.reason;
  if (begun.status === "rejected") return isNoRowMatched(begun.reason) ? "retry_in_steps" : { rejection: begun.reason };
  if (written.status === "rejected") return { rejection: written.reason };
  return isCommitted(ended.value) ? plan.finalClock : "retry_in_steps";
}
