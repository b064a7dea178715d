import type { ClientBase, QueryConfig } from "pg";
import pg from "pg";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import { collectReferences } from "../../model/references.ts";
import { StorageUnavailable, type Write, WriteConflict } from "../storage.ts";
import { planCommits, type QueuedCommit } from "./commit-plan.ts";
import { findConflict } from "./conflict.ts";
import { numberPlaceholders, statement } from "./statement.ts";
import { isRejectedWrite } from "./storage-errors.ts";
import { statementsFor, type WriteStatement } from "./write-statements.ts";

/** How long a commit waits for another of its tenant before it is refused as unavailable. */
const lockWaitMs = 5_000;
/** A server that stands still, or is gone without a word, holds the clock of a tenant for so long. */
const idleInTransactionMs = 10_000;
/** Steps that go in one statement: each has some twenty values, and a statement takes 65,535 of them. */
const stepsMax = 500;

/** Writes that go in one statement, their steps, and in the last round that of the clock. */
export type StatementBatch = {
  readonly writes: readonly Write[];
  readonly steps: readonly WriteStatement[];
  readonly clockStatement?: WriteStatement;
};
type RunRound = (client: ClientBase, tenant: string, round: StatementBatch) => Promise<void>;

/**
 * Commits of one tenant on a connection, all or none: begin and lock the tenant's clock, write, commit; three round
 * trips where no record is written twice. Each gets an instant of its own. The row of the clock is locked until the
 * commit, so the order of instants is the order of commits. Answers where the clock stands then.
 * @param runRound `together`, or `oneByOne` to learn which write is refused first, and why
 * @throws WriteConflict; what a proposal throws; errors of the driver
 */
export async function commitInSteps(
  client: ClientBase,
  tenant: string,
  proposals: readonly QueuedCommit[],
  runRound: RunRound = together,
): Promise<number> {
  const last = await begin(client, tenant);
  const { writes, finalClock } = planCommits(last ?? 0, proposals);
  if (writes.length === 0) {
    await client.query("ROLLBACK");
    return finalClock;
  }
  const tick: WriteStatement =
    last === undefined
      ? { sql: "INSERT INTO tenant_clocks (tenant_id, last_at) VALUES (?, ?)", values: [tenant, finalClock] }
      : { sql: "UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ?", values: [finalClock, tenant] };
  for (const round of batchStatements(tenant, writes, tick)) await runRound(client, tenant, round);
  if (!isCommitted(await client.query("COMMIT"))) throw new StorageUnavailable("The database rolled a commit back.");
  return finalClock;
}

/** A COMMIT that comes to a transaction that has failed succeeds too, as a ROLLBACK. */
export function isCommitted({ command }: { readonly command: string }): boolean {
  return command === "COMMIT";
}

/** In one statement, which is refused for whatever PostgreSQL comes upon first. */
const together: RunRound = (client, _tenant, { steps, clockStatement }) =>
  run(client, clockStatement ? [...steps, clockStatement] : steps);

/** Where that is refused, write by write: the first that cannot be made is told, with what is in its way just then. */
export const oneByOne: RunRound = async (client, tenant, round) => {
  if (await isDone(client, () => together(client, tenant, round))) return;
  for (const write of round.writes) {
    let refusal: unknown;
    const made = await isDone(client, async () => {
      try {
        for (const step of statementsFor(tenant, write)) await run(client, [step]);
      } catch (error) {
        refusal = error;
        throw error;
      }
    });
    if (!made)
      throw refusal instanceof WriteConflict ? refusal : ((await findConflict(client, tenant, write)) ?? refusal);
  }
  if (round.clockStatement !== undefined) await run(client, [round.clockStatement]);
};

/** Whether it was not refused; else it is as if it had not been tried. @throws what is no refusal of a write */
async function isDone(client: ClientBase, work: () => Promise<void>): Promise<boolean> {
  await client.query("SAVEPOINT one");
  try {
    await work();
    await client.query("RELEASE one");
    return true;
  } catch (error) {
    if (!isRejectedWrite(error)) throw error;
    await client.query("ROLLBACK TO one");
    return false;
  }
}

/** Whatever the database's own settings are: who waited for the clock must see what was committed meanwhile. */
export const beginSql = [
  "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
  `SET LOCAL lock_timeout = ${lockWaitMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  // Who is not the first to wait waits for two locks, one after the other.
  `SET LOCAL statement_timeout = ${lockWaitMs}`,
].join("; ");
export const resetTimeoutSql = "SET LOCAL statement_timeout TO DEFAULT";

/** The last instant of the tenant, undefined where it has none yet. What comes after is in a transaction. */
async function begin(client: ClientBase, tenant: string): Promise<number | undefined> {
  const id = pg.escapeLiteral(tenant);
  const lock = `SELECT last_at FROM tenant_clocks WHERE tenant_id = ${id} FOR UPDATE`;
  const answers = await client.query(`${beginSql}; ${lock}; ${resetTimeoutSql}`);
  const rows = (answers as unknown as readonly { rows: { last_at: string }[] }[]).at(-2)?.rows ?? [];
  return rows[0] === undefined ? undefined : Number(rows[0].last_at);
}

/**
 * As few statements as there can be. What one of them does to a record, the same one cannot see; and its references are
 * looked at when it ends, where what a later write inserts would be there already.
 */
export function batchStatements(
  tenant: string,
  writes: readonly Write[],
  clockStatement: WriteStatement,
): StatementBatch[] {
  const rounds: { writes: Write[]; steps: WriteStatement[] }[] = [];
  let [touched, referred] = [new Set<string>(), new Set<string>()];
  let current = { writes: [] as Write[], steps: [] as WriteStatement[] };
  for (const write of writes) {
    const { kind, record } = write as { kind: Kind; record: AnyRecord };
    const name = `${kind} ${record.id}`;
    const isAwaited = write.op === "insert" && referred.has(name);
    if (touched.has(name) || isAwaited || current.steps.length >= stepsMax) {
      rounds.push(current);
      current = { writes: [], steps: [] };
      [touched, referred] = [new Set(), new Set()];
    }
    current.writes.push(write);
    current.steps.push(...statementsFor(tenant, write));
    touched.add(name);
    referred.add(`tenant ${tenant}`);
    for (const each of collectReferences(models[kind], record)) referred.add(`${each.kind} ${each.id}`);
  }
  return [...rounds, { ...current, clockStatement }];
}

/** All steps in one statement, and whether each touched a row where it must. */
async function run(client: ClientBase, steps: readonly WriteStatement[]): Promise<void> {
  const { rows } = await client.query<Record<string, number>>(
    combine(steps, (name) => `(SELECT count(*) FROM ${name}) AS ${name}`),
  );
  for (const [index, { mustMatch }] of steps.entries()) {
    if (mustMatch === undefined || Number(rows[0]?.[`s${index}`]) > 0) continue;
    const { kind, record } = mustMatch.write;
    if (mustMatch.reason === "hash") throw new WriteConflict("duplicate", kind, "hash", record.id);
    throw new WriteConflict("stale", kind, "id", record.id);
  }
}

/**
 * Steps as one statement, and what it tells of each: PostgreSQL takes them in the order in which they are told of, and
 * last what is not told of. Each connection prepares it once where they are few.
 */
export function combine(
  steps: readonly WriteStatement[],
  telling: (name: string, step: WriteStatement) => string,
): QueryConfig {
  const parts = steps.map(({ sql }, index) => `s${index} AS (${sql} RETURNING 1)`);
  const told = steps.map((step, index) => telling(`s${index}`, step));
  const sql = `WITH ${parts.join(", ")} SELECT ${told.join(", ")}`;
  const values = steps.flatMap((step) => step.values);
  return steps.length <= 8 ? statement(sql, values) : { text: numberPlaceholders(sql), values };
}
