import type { QueryConfig } from "pg";
import { type AnyRecord, type Kind, models, type Records } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import { collectReferences } from "../../model/references.ts";
import { columnNames, hasJsonColumn, type Table, tables, toRow, updatedColumns, updatedValues } from "../sql/table.ts";
import type { Write } from "../storage.ts";
import { searchSteps } from "./search.ts";
import { numberPlaceholders, postgresDialect, statement } from "./statement.ts";

/** An INSERT, UPDATE or DELETE of one table. `sql` has a `?` for each value. */
export type WriteStatement = {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Set if the statement must match a row: the write that fails otherwise, and the reason. */
  readonly mustMatch?: { readonly write: Write; readonly reason: "stale" | "hash" };
};

/** Writes whose statements run as one. The last batch of a commit also updates the tenant clock. */
export type WriteBatch = {
  readonly writes: readonly Write[];
  readonly steps: readonly WriteStatement[];
  readonly clockStatement?: WriteStatement;
};

/** Maximum number of statements in a batch. PostgreSQL accepts 65,535 values; a statement has about 20. */
const maxBatchSteps = 500;
/** Longer batches are rarely repeated, so they aren't prepared. */
const maxPreparedSteps = 8;

/**
 * Splits writes into as few batches as possible. A statement doesn't see the changes of the others in its batch, so a
 * record is written once per batch. PostgreSQL checks foreign keys at the end of a batch, so a record that an earlier
 * write references is inserted in a later batch, where the check of the earlier one has already failed.
 */
export function batchWrites(tenant: string, writes: readonly Write[], clockStatement: WriteStatement): WriteBatch[] {
  const batches: WriteBatch[] = [];
  let [written, referenced] = [new Set<string>(), new Set<string>()];
  let current = { writes: [] as Write[], steps: [] as WriteStatement[] };
  for (const write of writes) {
    const { kind, record } = write as { kind: Kind; record: AnyRecord };
    const name = `${kind} ${record.id}`;
    const isReferencedBefore = write.op === "insert" && referenced.has(name);
    if (written.has(name) || isReferencedBefore || current.steps.length >= maxBatchSteps) {
      batches.push(current);
      current = { writes: [], steps: [] };
      [written, referenced] = [new Set(), new Set()];
    }
    current.writes.push(write);
    current.steps.push(...statementsFor(tenant, write));
    written.add(name);
    referenced.add(`tenant ${tenant}`);
    for (const each of collectReferences(models[kind], record)) referenced.add(`${each.kind} ${each.id}`);
  }
  return [...batches, { ...current, clockStatement }];
}

/**
 * Combines statements into one, with a CTE per step. Its only row has the column that `selectResult` returns for each
 * step. PostgreSQL runs the steps in the order of these columns.
 */
export function combineSteps(
  steps: readonly WriteStatement[],
  selectResult: (name: string, step: WriteStatement) => string,
): QueryConfig {
  const ctes = steps.map(({ sql }, index) => `s${index} AS (${sql} RETURNING 1)`);
  const results = steps.map((step, index) => selectResult(`s${index}`, step));
  const sql = `WITH ${ctes.join(", ")} SELECT ${results.join(", ")}`;
  const values = steps.flatMap((step) => step.values);
  return steps.length <= maxPreparedSteps ? statement(sql, values) : { text: numberPlaceholders(sql), values };
}

/** Returns the statements of a write. They can run as one, because they change different rows. */
export function statementsFor(tenant: string, write: Write): readonly WriteStatement[] {
  const table = tables[write.kind];
  const recordStep = write.op === "insert" ? insertStep(table, tenant, write) : updateStep(table, tenant, write);
  const keySteps = write.kind === "apiKey" && hasNewHash(write) ? [ownerStep(tenant, write)] : [];
  return [
    recordStep,
    ...keySteps,
    ...table.links.flatMap((link) => linkSteps(link, tenant, write)),
    ...searchSteps(tenant, write),
  ];
}

/** Returns the values of a row by column. */
function rowOf(table: Table, tenant: string, record: Records[Kind]): Record<string, unknown> {
  const values = toRow(postgresDialect, table, tenant, record);
  const row = Object.fromEntries(columnNames(table).map((name, index) => [name, values[index]]));
  return hasJsonColumn(table) ? { ...row, json: toJsonText(models[table.kind], record) } : row;
}

function insertStep(table: Table, tenant: string, { record }: Write): WriteStatement {
  const row = rowOf(table, tenant, record);
  const columns = Object.keys(row).map((name) => `"${name}"`);
  return {
    sql: `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    values: Object.values(row),
  };
}

function updateStep(table: Table, tenant: string, write: Extract<Write, { readonly op: "update" }>): WriteStatement {
  const { record, expectedUpdatedAt } = write;
  const hasJson = hasJsonColumn(table);
  const sets = [...updatedColumns(table), ...(hasJson ? ["json"] : [])].map((name) => `"${name}" = ?`);
  const json = hasJson ? [toJsonText(models[table.kind], record)] : [];
  const values = [...updatedValues(postgresDialect, table, record), ...json, tenant, record.id, expectedUpdatedAt];
  return {
    sql: `UPDATE ${table.name} SET ${sets.join(", ")} WHERE tenant_id = ? AND id = ? AND updated_at = ?`,
    values,
    mustMatch: { write, reason: "stale" },
  };
}

/** Returns whether a write may change the hash. A revocation doesn't, so it needs only the shard of its tenant. */
function hasNewHash(write: Extract<Write, { readonly kind: "apiKey" }>): boolean {
  return write.op === "insert" || write.before?.hash !== write.record.hash;
}

/** Records the tenant of an API key. Matches no row if the hash belongs to another tenant. */
function ownerStep(tenant: string, write: Write): WriteStatement {
  const sql = `INSERT INTO api_key_owners (hash, tenant_id) VALUES (?, ?)
    ON CONFLICT (hash) DO UPDATE SET tenant_id = api_key_owners.tenant_id
    WHERE api_key_owners.tenant_id = excluded.tenant_id`;
  const { hash } = write.record as { hash?: string };
  return { sql, values: [hash, tenant], mustMatch: { write, reason: "hash" } };
}

/** Deletes the removed links of a record, and inserts or updates the others with their position. */
function linkSteps(
  { field, name, owner, target }: Table["links"][number],
  tenant: string,
  { op, record }: Write,
): WriteStatement[] {
  const ids = (record as unknown as Record<string, readonly string[]>)[field] ?? [];
  const deletion = {
    sql: `DELETE FROM ${name} WHERE tenant_id = ? AND ${owner} = ? AND NOT ${target} = ANY (?::text[])`,
    values: [tenant, record.id, ids],
  };
  const columns = `tenant_id, ${owner}, ${target}, position, archived, updated_at`;
  const upsert = {
    sql: `INSERT INTO ${name} (${columns})
      SELECT ?, ?, target, number - 1, ?, ? FROM unnest(?::text[]) WITH ORDINALITY AS given (target, number)
      ON CONFLICT (tenant_id, ${owner}, ${target}) DO UPDATE
      SET position = excluded.position, archived = excluded.archived, updated_at = excluded.updated_at`,
    values: [tenant, record.id, record.archivedAt === null ? 0 : 1, record.updatedAt, ids],
  };
  return [...(op === "insert" ? [] : [deletion]), ...(ids.length === 0 ? [] : [upsert])];
}
