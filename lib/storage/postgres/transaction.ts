import type { ClientBase, PoolClient, QueryResult } from "pg";
import pg from "pg";
import { assertSchemaKnown } from "../newer-schema.ts";
import { buildSelect } from "../sql/select.ts";
import { duplicateQueries, tables } from "../sql/table.ts";
import {
  advanceClock,
  type CommitConditions,
  changesSettings,
  matchConflict,
  StorageUnavailable,
  settingsConflict,
  type Write,
  WriteConflict,
} from "../storage.ts";
import type { Conflicts, QueuedCommit } from "./commit-jobs.ts";
import { type CommitPlan, GroupableWrites, writeLockedGroup } from "./group-commit.ts";
import { schemaVersion } from "./migrations.ts";
import { postgresDialect, statement } from "./statement.ts";
import { isRejectedWrite } from "./storage-errors.ts";
import { batchWrites, combineSteps, statementsFor, type WriteBatch, type WriteStatement } from "./write-statements.ts";

/** A tenant whose clock is locked. */
type LockedTenant = { readonly tenant: string; readonly settingsVersion: number };

/** Commits that share a transaction. */
type SharedTransaction = {
  /** Returns the commits once the tenant clock is locked. */
  readonly take: () => readonly QueuedCommit[];
  /** `runCombined`, or `runReportingFirstError` to find the first write that fails. */
  readonly runBatch?: RunBatch | undefined;
  /** Whether the writes may run as a group statement. */
  readonly isGrouped?: boolean;
};

export type RunBatch = (client: ClientBase, tenant: string, batch: WriteBatch) => Promise<void>;

/**
 * Commits in two round trips: begin and lock the tenant clock, then write and commit. All commits succeed or none,
 * except those that expect another settings version: these are left out. The row of the clock stays locked until the
 * end, so commit times have the order of the commits. A commit with the condition `none` must be the only one.
 * @returns the tenant clock before and after the commits, and their conflicts
 * @throws WriteConflict, StorageUnavailable, errors of the driver and of the proposals
 */
export async function commitInSteps(
  client: ClientBase,
  tenant: string,
  { take, runBatch = runCombined, isGrouped = false }: SharedTransaction,
): Promise<{ readonly before: number; readonly after: number; readonly conflicts: Conflicts }> {
  const { clock, settingsVersion } = await begin(client, `tenant_id = ${pg.escapeLiteral(tenant)}`);
  const commits = take();
  const plan = planCommits(clock ?? 0, commits, { tenant, settingsVersion });
  const { writes, finalClock, conflicts } = plan;
  const ended = { before: clock ?? 0, after: finalClock, conflicts };
  if (writes.length === 0) {
    await client.query("ROLLBACK");
    return ended;
  }
  for (const { conditions } of commits) await assertNone(client, tenant, conditions);
  const clockStatement: WriteStatement =
    clock === undefined
      ? {
          sql: "INSERT INTO tenant_clocks (tenant_id, last_at, settings_version, events_from) VALUES (?, ?, ?, ?)",
          values: [tenant, finalClock, finalClock, finalClock],
        }
      : changesSettings(writes)
        ? {
            sql: "UPDATE tenant_clocks SET last_at = ?, settings_version = ? WHERE tenant_id = ?",
            values: [finalClock, finalClock, tenant],
          }
        : { sql: "UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ?", values: [finalClock, tenant] };
  const isGroup = isGrouped && clock !== undefined && new GroupableWrites().add(writes);
  const batches = isGroup ? [] : batchWrites(tenant, writes, clockStatement);
  const last = batches.pop();
  for (const batch of batches) await runBatch(client, tenant, batch);
  const write = () => (last === undefined ? writeLockedGroup(client, tenant, plan) : runBatch(client, tenant, last));
  const commit = () => client.query("COMMIT");
  const isOneWrite = isGroup || (batches.length === 0 && runBatch === runCombined);
  // If the write fails, the COMMIT that follows it rolls back, or commits nothing.
  const response =
    isOneWrite && (client as PoolClient).pipeline === true
      ? await afterAll([write(), commit()])
      : await write().then(commit);
  if (response.command !== "COMMIT") throw new StorageUnavailable("The database rolled back the commit.");
  return ended;
}

/**
 * Waits for a write and the COMMIT after it.
 * @throws the error of COMMIT if it got no response, or that of the write
 */
async function afterAll([write, commit]: readonly [Promise<void>, Promise<QueryResult>]): Promise<QueryResult> {
  const [written, ended] = await Promise.allSettled([write, commit]);
  if (ended.status === "rejected") throw ended.reason;
  if (written.status === "rejected") throw written.reason;
  return ended.value;
}

/**
 * Assigns each commit a time after the one before. If the tenant is locked, leaves out the commits that expect another
 * settings version.
 * @throws errors of the proposals
 */
export function planCommits(
  clock: number,
  commits: readonly QueuedCommit[],
  locked?: LockedTenant,
): CommitPlan & { readonly conflicts: Conflicts } {
  const writes: Write[] = [];
  const conflicts: (WriteConflict | undefined)[] = [];
  let settingsVersion = locked?.settingsVersion ?? 0;
  let [firstCommitTime, finalClock] = [Number.POSITIVE_INFINITY, clock];
  for (const { now, propose, conditions } of commits) {
    const at = Math.max(now, finalClock + 1);
    const proposed = propose(at);
    firstCommitTime = Math.min(firstCommitTime, at);
    const conflict =
      locked && proposed.length > 0 ? settingsConflict(locked.tenant, settingsVersion, conditions) : undefined;
    conflicts.push(conflict);
    // A commit without writes doesn't advance the clock, so the next commit may have an earlier time.
    if (proposed.length === 0 || conflict !== undefined) continue;
    finalClock = advanceClock(at, proposed);
    if (changesSettings(proposed)) settingsVersion = finalClock;
    writes.push(...proposed);
  }
  return { writes, firstCommitTime, finalClock, conflicts };
}

/** @throws WriteConflict if a record matches the condition `none` */
async function assertNone(client: ClientBase, tenant: string, { none }: CommitConditions = {}): Promise<void> {
  if (none === undefined) return;
  const query = { where: none.where, limit: 1 };
  const { sql, values } = buildSelect(postgresDialect, tables[none.kind], tenant, query);
  const [match] = (await client.query(statement(sql, values))).rows;
  if (match !== undefined) throw matchConflict(none, String(match.id));
}

/** Runs a batch as one statement. It divides by zero if a step matches no row although it must. */
const runCombined: RunBatch = async (client, _tenant, { steps, clockStatement }) => {
  const all = clockStatement === undefined ? steps : [...steps, clockStatement];
  await client.query(
    combineSteps(all, (name, { mustMatch }) => `${mustMatch ? "1 / " : ""}(SELECT count(*) FROM ${name})`),
  );
};

/** Runs a batch as one statement. If that fails, runs write after write and reports the first that fails. */
export const runReportingFirstError: RunBatch = async (client, tenant, batch) => {
  if ((await findRejection(client, () => runCombined(client, tenant, batch))) === undefined) return;
  for (const write of batch.writes) {
    const rejection = await findRejection(client, async () => {
      for (const step of statementsFor(tenant, write)) await runSteps(client, [step]);
    });
    if (rejection === undefined) continue;
    if (rejection instanceof WriteConflict) throw rejection;
    throw (await findConflict(client, tenant, write)) ?? rejection;
  }
  if (batch.clockStatement !== undefined) await runSteps(client, [batch.clockStatement]);
};

/** Runs `work` and returns the error if a write is rejected. In that case, `work` is rolled back. */
async function findRejection(client: ClientBase, work: () => Promise<void>): Promise<unknown> {
  await client.query("SAVEPOINT work");
  try {
    await work();
    await client.query("RELEASE work");
    return undefined;
  } catch (error) {
    if (!isRejectedWrite(error)) throw error;
    await client.query("ROLLBACK TO work");
    return error;
  }
}

/** Finds the record that conflicts with a rejected write, after all earlier writes of the commit. */
async function findConflict(
  client: ClientBase,
  tenant: string,
  { kind, op, record }: Write,
): Promise<WriteConflict | undefined> {
  const table = tables[kind];
  const queryRow = async (sql: string, values: readonly unknown[]) =>
    (await client.query(statement(sql, values))).rows[0];
  for (const { field, sql, values } of duplicateQueries(table, tenant, record)) {
    const other = await queryRow(sql, values);
    if (other !== undefined) return new WriteConflict("duplicate", kind, field, String(other.id));
  }
  const idSql = `SELECT 1 FROM ${table.name} WHERE tenant_id = ? AND id = ?`;
  if (op === "insert" && (await queryRow(idSql, [tenant, record.id])) !== undefined)
    return new WriteConflict("duplicate", kind, "id", record.id);
  if (kind !== "apiKey") return undefined;
  const hashSql = "SELECT 1 FROM api_keys WHERE tenant_id = ? AND hash = ? AND id <> ?";
  const sameHash = await queryRow(hashSql, [tenant, record.hash, record.id]);
  return sameHash === undefined ? undefined : new WriteConflict("duplicate", kind, "hash", record.id);
}

/** Time that a commit waits for another commit of its tenant. */
const lockTimeoutMs = 5_000;
/** Time after which PostgreSQL releases the tenant clock of a server that stopped responding. */
const idleInTransactionMs = 10_000;

/** Sets the isolation level explicitly: a commit that waited for the lock must see the commits before it. */
const beginSql = [
  "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
  `SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  // A commit that isn't first in the queue waits for two locks in turn, each with its own lock_timeout.
  `SET LOCAL statement_timeout = ${lockTimeoutMs}`,
].join("; ");
export const readVersionSql = "SELECT value FROM settings WHERE name = 'schema_version'";
const resetTimeoutSql = "SET LOCAL statement_timeout TO DEFAULT";

/**
 * Begins a transaction as a commit does, but locks no clock, so that no shard has to be there.
 * @throws NewerSchema, errors of the driver
 */
export async function assertCommits(client: ClientBase): Promise<void> {
  await begin(client, "false");
  await client.query("ROLLBACK");
}

/**
 * Begins a transaction and locks the tenant clock. Returns the clock, or undefined if the tenant has none. A migration
 * locks all clocks, so the version can't change before the end of the transaction.
 * @throws NewerSchema
 */
async function begin(client: ClientBase, where: string) {
  const lock = `SELECT last_at, settings_version FROM tenant_clocks WHERE ${where} FOR UPDATE`;
  const results = await client.query(`${beginSql}; ${lock}; ${readVersionSql}; ${resetTimeoutSql}`);
  const [locked, version] = (results as unknown as readonly { rows: Record<string, unknown>[] }[]).slice(-3, -1);
  assertSchemaKnown(Number(String(version?.rows[0]?.value)), schemaVersion);
  const row = locked?.rows[0];
  return {
    clock: row === undefined ? undefined : Number(row.last_at),
    settingsVersion: Number(row?.settings_version ?? 0),
  };
}

/** @throws WriteConflict if a step matches no row although it must */
async function runSteps(client: ClientBase, steps: readonly WriteStatement[]): Promise<void> {
  const { rows } = await client.query<Record<string, number>>(
    combineSteps(steps, (name) => `(SELECT count(*) FROM ${name}) AS ${name}`),
  );
  for (const [index, { mustMatch }] of steps.entries()) {
    if (mustMatch === undefined || Number(rows[0]?.[`s${index}`]) > 0) continue;
    const { kind, record } = mustMatch.write;
    if (mustMatch.reason === "hash") throw new WriteConflict("duplicate", kind, "hash", record.id);
    throw new WriteConflict("stale", kind, "id", record.id);
  }
}
