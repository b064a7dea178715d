import type { ClientBase, Pool, QueryConfig } from "pg";
import type { Entity } from "../../model/entities.ts";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import type { ColumnType } from "../../model/model.ts";
import { collectReferences } from "../../model/references.ts";
import { columnNames, hasJsonColumn, type Table, tables, updatedColumns } from "../sql/table.ts";
import { isSetting, StorageUnavailable, type Write } from "../storage.ts";
import { withConnection } from "./connection.ts";
import { schemaVersion } from "./migrations.ts";
import { groupSearchSteps } from "./search.ts";
import { statement } from "./statement.ts";
import { rowJson } from "./write-statements.ts";

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

/** The rows of one kind that are inserted or updated, each as JSON. */
type RowSet = { readonly op: Write["op"]; readonly table: Table; readonly rows: string[] };

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

/** Returns the statement that commits plans. It has a row per tenant whose clock it could lock. */
function groupStatement(plans: readonly TenantPlan[]): QueryConfig {
  const sets = new Map<string, RowSet>();
  for (const { tenant, writes } of plans) for (const write of writes) addRow(sets, tenant, write);
  const sorted = [...sets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, set]) => set);
  const clocks = plans.map(({ tenant, firstCommitTime, finalClock, settingsVersion }) => ({
    tenant_id: tenant,
    first: firstCommitTime,
    final: finalClock,
    version: settingsVersion,
  }));
  const searchSteps = groupSearchSteps(plans);
  const searchCtes = searchSteps.map(({ cte }) => cte);
  const rows = sorted.map((set) => `[${set.rows.join(",")}]`);
  const values = [JSON.stringify(clocks), ...rows, ...searchSteps.map((step) => JSON.stringify(step.rows))];
  const { name, ...query } = statement(groupSql(sorted, searchCtes), values);
  return sorted.length <= maxPreparedSets ? { name, ...query } : query;
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
  const row = rowJson(table, tenant, record);
  set.rows.push(op === "insert" ? row : `${row.slice(0, -1)},"expected_updated_at":${write.expectedUpdatedAt}}`);
}

/** Returns the statement for these rows. Parameters: the clocks, then the rows of each set, as JSON. */
function groupSql(sets: readonly RowSet[], searchCtes: readonly string[]): string {
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
      SELECT * FROM json_to_recordset(?::json) AS p (tenant_id text COLLATE "C", first bigint, final bigint, version bigint)
    ), locked AS MATERIALIZED (
      SELECT c.tenant_id, c.last_at, p.first, p.final, coalesce(p.version, c.settings_version) = c.settings_version AS fits
      FROM tenant_clocks c JOIN plan p ON p.tenant_id = c.tenant_id
      ORDER BY c.tenant_id FOR UPDATE OF c SKIP LOCKED
    ), moved AS (
      UPDATE tenant_clocks c SET last_at = l.final FROM locked l
      WHERE c.tenant_id = l.tenant_id AND l.last_at < l.first AND l.fits AND ${isKnownSchema} RETURNING c.tenant_id
    ), ${[...writes, ...searchCtes].join(", ")}
    SELECT l.tenant_id, l.last_at, m.tenant_id IS NOT NULL AS is_committed
    FROM locked l LEFT JOIN moved m ON m.tenant_id = l.tenant_id
    WHERE true ${checks.join(" ")}`;
}

function insertSql(table: Table, index: number): string[] {
  const names = [...columnNames(table), ...jsonColumn(table)].map((name) => `"${name}"`);
  const select = `SELECT ${names.map((name) => `r.${name}`).join(", ")} FROM ${rowsOf(table, "")}`;
  return [`w${index} AS (INSERT INTO ${table.name} (${names.join(", ")}) ${select} RETURNING 1)`];
}

function updateSql(table: Table, index: number): string[] {
  const sets = [...updatedColumns(table), ...jsonColumn(table)].map((name) => `"${name}" = r."${name}"`);
  return [
    `r${index} AS MATERIALIZED (SELECT r.* FROM ${rowsOf(table, ", expected_updated_at bigint")})`,
    `w${index} AS (UPDATE ${table.name} t SET ${sets.join(", ")} FROM r${index} r
      WHERE t.tenant_id = r.tenant_id AND t.id = r.id AND t.updated_at = r.expected_updated_at RETURNING 1)`,
  ];
}

/** Returns the rows of a parameter that belong to tenants whose clock was moved, as `r`. */
function rowsOf(table: Table, more: string): string {
  const { columns, uniques, digits } = table;
  const definitions = [
    'tenant_id text COLLATE "C"',
    ...columns.map(({ name, type }) => `"${name}" ${sqlTypes[type]}${name === "id" ? ' COLLATE "C"' : ""}`),
    ...[...uniques, ...digits].map(({ name }) => `${name} text COLLATE "C"`),
    ...jsonColumn(table).map((name) => `${name} text`),
  ];
  return `moved m JOIN json_to_recordset(?::json) AS r (${definitions.join(", ")}${more}) ON r.tenant_id = m.tenant_id`;
}

function jsonColumn(table: Table): readonly string[] {
  return hasJsonColumn(table) ? ["json"] : [];
}

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  text: "text",
  integer: "bigint",
  real: "double precision",
  boolean: "boolean",
  timestamp: "bigint",
  json: "text",
  links: "text",
};
