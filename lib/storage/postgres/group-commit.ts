import type { ClientBase, Pool, QueryConfig } from "pg";
import type { Entity } from "../../model/entities.ts";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import type { ColumnType } from "../../model/model.ts";
import { toJsonText } from "../../model/record-json.ts";
import { collectReferences } from "../../model/references.ts";
import { columnNames, hasJsonColumn, type Table, tables, toRow, updatedColumns } from "../sql/table.ts";
import { isSetting, StorageUnavailable, type Write } from "../storage.ts";
import { type ArrayType, arrayParameters } from "./array-parameters.ts";
import { withConnection } from "./connection.ts";
import { schemaVersion } from "./migrations.ts";
import { type GroupSearchStep, groupSearchSteps } from "./search.ts";
import { postgresDialect, statement } from "./statement.ts";

/** The writes of commits that share a transaction, in order. */
export type CommitPlan = {
  readonly writes: readonly Write[];
  /** The plan is valid if the tenant clock is before this time. */
  readonly firstCommitTime: number;
  /** The tenant clock after the commits. */
  readonly finalClock: number;
};

/** The commits of one tenant in a group, and the settings version that they expect. */
export type TenantPlan = CommitPlan & { readonly tenant: string; readonly settingsVersion: number | undefined };

/** Whether the commits of a tenant were applied, and its clock. Undefined if the clock is locked. */
export type GroupOutcome = { readonly isCommitted: boolean; readonly clock: number } | undefined;

/** The rows of one kind that are inserted or updated. Each has the values of `rowColumns`. */
type RowSet = { readonly op: Write["op"]; readonly table: Table; readonly rows: unknown[][] };

/** Statements with more sets of rows are rarely repeated, so they aren't prepared. */
const maxPreparedSets = 3;

/**
 * Commits the plans of several tenants in one statement, which is its own transaction: one round trip and one fsync. It
 * locks the tenant clocks that no other server holds, and applies the plans whose clock is before their first commit
 * time and whose settings version is the expected one.
 * @throws errors of the driver. If one write is rejected, nothing is committed
 */
export async function commitGroup(
  pool: Pool,
  plans: readonly TenantPlan[],
): Promise<ReadonlyMap<string, GroupOutcome>> {
  const { rows } = await withConnection(pool, (client) => client.query(groupStatement(plans)));
  return new Map(rows.map((row) => [row.tenant_id as string, { isCommitted: row.is_committed, clock: row.last_at }]));
}

/**
 * Runs the group statement for a tenant whose clock the transaction of the client has locked.
 * @throws StorageUnavailable if the plan isn't for this clock, or the schema has another version
 */
export async function writeLockedGroup(client: ClientBase, tenant: string, plan: CommitPlan): Promise<void> {
  const { rows } = await client.query(groupStatement([{ tenant, settingsVersion: undefined, ...plan }]));
  if (rows[0]?.is_committed !== true) throw new StorageUnavailable("The database has another schema version.");
}

/** The SQL of groups, by the sets of rows that they write. */
const sqlOfSets = new Map<string, string>();

/** Returns the statement that commits plans. It has a row per tenant whose clock it could lock. */
function groupStatement(plans: readonly TenantPlan[]): QueryConfig {
  const setsByName = new Map<string, RowSet>();
  for (const { tenant, writes } of plans) for (const write of writes) addRow(setsByName, tenant, write);
  const names = [...setsByName.keys()].sort();
  const sets = names.map((name) => setsByName.get(name) as RowSet);
  const searchSteps = groupSearchSteps(plans);
  const key = [...names, ...searchSteps.map((step) => step.name)].join();
  const sql = sqlOfSets.get(key) ?? groupSql(sets, searchSteps);
  sqlOfSets.set(key, sql);
  const clocks = plans.map(({ tenant, firstCommitTime, finalClock, settingsVersion }) => [
    tenant,
    firstCommitTime,
    finalClock,
    settingsVersion,
  ]);
  const values = arrayParameters([
    { types: ["text", "bigint", "bigint", "bigint"], rows: clocks },
    ...sets.map(({ op, table, rows }) => ({ types: rowColumns[op][table.kind].map(({ type }) => type), rows })),
    ...searchSteps,
  ]);
  const { name, ...query } = statement(sql, values);
  return sets.length <= maxPreparedSets ? { name, ...query } : query;
}

/**
 * Collects the commits of a tenant that can run in any order in one statement. They have no links, write each record
 * once, and insert no record that an earlier write refers to. An update of a kind with unique fields is the only write
 * of its kind, because it can remove a value that another write adds.
 */
export class GroupableWrites {
  readonly #written = new Set<string>();
  readonly #ops = new Map<Kind, Write["op"]>();
  readonly #referenced = new Set<string>();

  /** Adds writes. Returns `false` if they can't follow the others in the same statement. */
  add(writes: readonly Write[]): boolean {
    for (const write of writes) {
      const { kind, record } = write as { kind: Kind; record: AnyRecord };
      const name = `${kind} ${record.id}`;
      if (!isGroupable(write) || this.#written.has(name)) return false;
      if (write.op === "insert" && this.#referenced.has(name)) return false;
      const otherOp = this.#ops.get(kind);
      if (tables[kind].uniques.length > 0 && otherOp !== undefined && [otherOp, write.op].includes("update"))
        return false;
      this.#ops.set(kind, write.op);
      this.#written.add(name);
      for (const each of collectReferences(models[kind], record)) this.#referenced.add(`${each.kind} ${each.id}`);
    }
    return true;
  }
}

/** The transaction of a tenant, which follows a group that isn't committed, reports another version. */
export const isKnownSchema = `(SELECT value FROM settings WHERE name = 'schema_version') = '${schemaVersion}'`;

function isGroupable({ kind, op, record }: Write): boolean {
  if (isSetting(kind)) return false;
  const hasLinks = (name: string): boolean =>
    (record as unknown as Record<string, readonly string[]>)[name]?.length !== 0;
  return tables[kind as Entity].links.every(({ field }) => op === "insert" && !hasLinks(field));
}

function addRow(sets: Map<string, RowSet>, tenant: string, write: Write): void {
  const { op, kind, record } = write;
  const table = tables[kind];
  const set = sets.get(`${op} ${kind}`) ?? { op, table, rows: [] };
  sets.set(`${op} ${kind}`, set);
  const row = toRow(postgresDialect, table, tenant, record);
  if (hasJsonColumn(table)) row.push(toJsonText(models[kind], record));
  if (op === "update") row.push(write.expectedUpdatedAt);
  set.rows.push(row);
}

/** Returns the statement for these rows. Parameters: the columns of the clocks, then those of each set. */
function groupSql(sets: readonly RowSet[], searchSteps: readonly GroupSearchStep[]): string {
  const writes = sets.flatMap(({ op, table }, index) =>
    op === "insert" ? insertSql(table, index) : updateSql(table, index),
  );
  // A stale update makes the statement fail, because the other writes of its commit must not be applied.
  const checks = sets.flatMap(({ op }, index) =>
    op === "insert"
      ? []
      : [
          `AND 1 / (CASE WHEN (SELECT count(*) FROM w${index}) = (SELECT count(*) FROM r${index}) THEN 1 ELSE 0 END) = 1`,
        ],
  );
  return `
    WITH plan AS MATERIALIZED (
      SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[]) AS p (tenant_id, first, final, version)
    ), locked AS MATERIALIZED (
      SELECT c.tenant_id, c.last_at, p.first, p.final, coalesce(p.version, c.settings_version) = c.settings_version AS fits
      FROM tenant_clocks c JOIN plan p ON p.tenant_id = c.tenant_id
      ORDER BY c.tenant_id FOR UPDATE OF c SKIP LOCKED
    ), moved AS (
      UPDATE tenant_clocks c SET last_at = l.final FROM locked l
      WHERE c.tenant_id = l.tenant_id AND l.last_at < l.first AND l.fits AND ${isKnownSchema} RETURNING c.tenant_id
    ), ${[...writes, ...searchSteps.map(({ cte }) => cte)].join(", ")}
    SELECT l.tenant_id, l.last_at, m.tenant_id IS NOT NULL AS is_committed
    FROM locked l LEFT JOIN moved m ON m.tenant_id = l.tenant_id
    WHERE true ${checks.join(" ")}`;
}

function insertSql(table: Table, index: number): string[] {
  const columns = rowColumns.insert[table.kind].map(({ name }) => name);
  const select = `SELECT ${columns.map((name) => `r.${name}`).join(", ")} FROM ${rowsOf(table, "insert")}`;
  return [`w${index} AS (INSERT INTO ${table.name} (${columns.join(", ")}) ${select} RETURNING 1)`];
}

function updateSql(table: Table, index: number): string[] {
  const sets = [...updatedColumns(table), ...jsonColumn(table)].map((name) => `"${name}" = r."${name}"`);
  return [
    `r${index} AS MATERIALIZED (SELECT r.* FROM ${rowsOf(table, "update")})`,
    `w${index} AS (UPDATE ${table.name} t SET ${sets.join(", ")} FROM r${index} r
      WHERE t.tenant_id = r.tenant_id AND t.id = r.id AND t.updated_at = r.expected_updated_at RETURNING 1)`,
  ];
}

/** Returns the rows of the parameters that belong to tenants whose clock was moved, as `r`. */
function rowsOf(table: Table, op: Write["op"]): string {
  const columns = rowColumns[op][table.kind];
  const arrays = columns.map(({ type }) => `?::${type}[]`).join(", ");
  const names = columns.map(({ name }) => name).join(", ");
  return `moved m JOIN unnest(${arrays}) AS r (${names}) ON r.tenant_id = m.tenant_id`;
}

function jsonColumn(table: Table): readonly string[] {
  return hasJsonColumn(table) ? ["json"] : [];
}

const arrayTypes: Readonly<Record<ColumnType, ArrayType>> = {
  text: "text",
  integer: "bigint",
  real: "double precision",
  boolean: "boolean",
  timestamp: "bigint",
  json: "text",
  links: "text",
};

/** The columns of the rows of a set. */
type RowColumns = readonly { readonly name: string; readonly type: ArrayType }[];

const insertColumns = mapTables((table): RowColumns => {
  const types = new Map(table.columns.map(({ name, type }) => [name, arrayTypes[type]]));
  const names = [...columnNames(table), ...jsonColumn(table)];
  return names.map((name) => ({ name: `"${name}"`, type: types.get(name) ?? "text" }));
});
const rowColumns = {
  insert: insertColumns,
  update: mapTables(
    ({ kind }): RowColumns => [...insertColumns[kind], { name: "expected_updated_at", type: "bigint" }],
  ),
};

function mapTables<T>(map: (table: Table) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(Object.values(tables).map((table) => [table.kind, map(table)])) as Record<Kind, T>;
}
