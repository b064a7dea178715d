import { phoneDigits, phoneKey } from "../../model/normalize.ts";
import { uuidTimePrefix } from "../../model/uuid.ts";
import { listFilters } from "../query.ts";
import type { Position, Query } from "../storage.ts";
import { type Dialect, type LinkTable, selectColumns, snakeCase, type Table, type UniqueColumn } from "./table.ts";

/** A SELECT statement of a list. `sql` has a placeholder for each value. */
export type Select = { readonly sql: string; readonly values: readonly unknown[] };

export type Condition = {
  readonly column: string;
  readonly link?: LinkTable;
  /** The fewer records share a value of the field, the lower the rank. */
  readonly rank: number;
  /** Whether the value is a list of the values that match. */
  readonly isList?: boolean;
  /** Whether the column is that of the IDs. */
  readonly isId?: boolean;
  /** Whether the records are those with the words of a search. */
  readonly isWords?: boolean;
  /** Whether the column has digits, which must end in those of the value. */
  readonly isDigits?: boolean;
  /** The column before this one in an index. */
  readonly indexedAfter?: string;
  /** Whether the field is unique among records that aren't archived. */
  readonly isUnique?: boolean;
};

const [selectivityHigh, selectivityMedium, selectivityLow, selectivityLowest] = [1, 2, 3, 4];
const ranks: Readonly<Record<string, number>> = {
  externalId: selectivityHigh,
  relatedToId: selectivityMedium,
  accountId: selectivityMedium,
  status: selectivityLowest,
  pipelineId: selectivityLowest,
};
/** Fields that follow another field in an index. */
const compositeIndexes: Readonly<Record<string, string>> = { assignedTo: "relatedToId", status: "assignedTo" };

/** A list query without its values. Each shape has its own SQL. */
type QueryShape = {
  readonly fields: readonly string[];
  readonly includeArchived: boolean;
  readonly hasPosition: boolean;
  readonly columns: ListColumns;
};

/**
 * The selected columns: those of the record, or only `json`. With `shortJson`, it is NULL if it is longer than 16 KiB.
 */
export type ListColumns = "record" | "json" | "shortJson";
const maxShortJsonBytes = 16 * 1024;

/** More than the endpoints use. The limit guards against unexpected growth. */
const maxCachedShapes = 1_000;
const sqlByShape = new Map<string, string>();

/**
 * Returns the statement of a list. It scans one index that has the order of the list, so every page costs the same.
 * With archived records, it merges two such scans.
 */
export function buildSelect(
  dialect: Dialect,
  table: Table,
  tenant: string,
  query: Query,
  columns: ListColumns = "record",
): Select {
  const { where = {}, includeArchived = false, limit = dialect.noLimit } = query;
  if (table.kind === "event") return selectEvents(dialect, table, tenant, query);
  const fields = Object.keys(where);
  const start = startOf(query);
  const values = [tenant, ...fields.flatMap((field) => columnValues(dialect, table, field, where[field]))];
  if (start !== undefined) values.push(start.updatedAt, start.id);
  const sql = sqlOf(dialect, table, { fields, includeArchived, hasPosition: start !== undefined, columns });
  const own = dialect.limitsScans ? [...values, limit] : values;
  return { sql, values: includeArchived ? [...own, ...own, limit] : [...values, limit] };
}

/**
 * Merges the scans of a list in its order. Each takes the values of its conditions, then its limit if it has its own.
 */
export function mergeScans(
  { limitsScans, placeholder }: Pick<Dialect, "limitsScans" | "placeholder">,
  scans: readonly string[],
  orderBy: string,
): string {
  const end = `ORDER BY ${orderBy} LIMIT ${placeholder}`;
  const [scan = ""] = scans;
  if (scans.length === 1) return `${scan} ${end}`;
  return `${scans.map((each) => (limitsScans ? `(${each} ${end})` : each)).join(" UNION ALL ")} ${end}`;
}

/** Returns the statement of a list of events. Their IDs have the order of the list, so it scans the primary key. */
function selectEvents(dialect: Dialect, table: Table, tenant: string, query: Query): Select {
  const [field] = Object.keys(query.where ?? {});
  if (field !== undefined) throw new TypeError(`Events can't be filtered by ${field}.`);
  const start = startOf(query);
  const after = start === undefined ? "" : start.id || uuidTimePrefix(start.updatedAt);
  const conditions = `t.tenant_id = ${dialect.placeholder} AND t.id > ${dialect.placeholder}`;
  const sql = `SELECT ${selectColumns(dialect, table)} FROM ${table.name} t WHERE ${conditions} ORDER BY id LIMIT ${dialect.placeholder}`;
  return { sql, values: [tenant, after, query.limit ?? dialect.noLimit] };
}

function sqlOf(dialect: Dialect, table: Table, shape: QueryShape): string {
  const name = `${dialect.name} ${table.name} ${shape.columns} ${shape.includeArchived} ${shape.hasPosition} ${shape.fields}`;
  const cached = sqlByShape.get(name);
  if (cached !== undefined) return cached;
  const conditions = shape.fields.map((field) => conditionOf(table, field));
  const scans = (shape.includeArchived ? [0, 1] : [0]).map((archived) =>
    scan(dialect, table, conditions, archived, shape),
  );
  const sql = mergeScans(dialect, scans, "updated_at, id");
  if (sqlByShape.size >= maxCachedShapes) sqlByShape.clear();
  sqlByShape.set(name, sql);
  return sql;
}

/** Returns the later of `after` and the position before all records updated at `updatedSince`. */
function startOf({ after, updatedSince }: Query): Position | undefined {
  if (updatedSince === undefined) return after;
  if (after !== undefined && after.updatedAt >= updatedSince) return after;
  return { updatedAt: updatedSince, id: "" };
}

function scan(
  dialect: Dialect,
  table: Table,
  conditions: readonly Condition[],
  archived: number,
  { hasPosition, columns }: QueryShape,
): string {
  const { from, terms, position, hide } = sourceOf(dialect, table, conditions, archived);
  const positionTerms = hasPosition ? [`(${hide(position.updatedAt)}, ${position.id}) > (?, ?)`] : [];
  const selected =
    columns === "record"
      ? selectColumns(dialect, table, position)
      : `${jsonColumn(columns)} AS json, ${position.updatedAt} AS updated_at, ${position.id} AS id`;
  return `SELECT ${selected} FROM ${from} WHERE ${[...terms, ...positionTerms].join(" AND ")}`;
}

/** The FROM clause and the conditions of a list of either the archived records or the others. */
export type Source = {
  readonly from: string;
  readonly terms: readonly string[];
  readonly position: { readonly id: string; readonly updatedAt: string };
  /** Keeps the planner from using an index for a term, if the IDs of the records are known. */
  readonly hide: (term: string) => string;
};

export function sourceOf(dialect: Dialect, table: Table, conditions: readonly Condition[], archived: number): Source {
  const { placeholder } = dialect;
  const link = conditions.find((condition) => condition.link !== undefined)?.link;
  const position =
    link === undefined
      ? { id: "t.id", updatedAt: "t.updated_at" }
      : { id: `l.${link.owner}`, updatedAt: "l.updated_at" };
  const from =
    link === undefined
      ? `${table.name} t`
      : `${link.name} l ${dialect.orderedJoin} ${table.name} t ON t.tenant_id = l.tenant_id AND t.id = l.${link.owner}`;
  const alias = link === undefined ? "t" : "l";
  // IDs are selective, so the scan uses the primary key instead of an index in the order of the list.
  const hasIds = conditions.some(({ isId }) => isId);
  const hide = (term: string): string => (hasIds ? dialect.withoutIndex(term) : term);
  const tenantTerm = `${alias}.tenant_id = ${placeholder}`;
  // Unique fields have one index of the records that aren't archived, and one of the others.
  const hasUnique = conditions.some(({ isUnique }) => isUnique);
  const archivedTerm = hasUnique
    ? `t.archived_at IS ${archived === 1 ? "NOT NULL" : "NULL"}`
    : `${alias}.archived = ${archived}`;
  return { from, terms: [tenantTerm, ...termsOf(dialect, conditions), hide(archivedTerm)], position, hide };
}

/** Returns the expression for the JSON of a record. */
export function jsonColumn(columns: ListColumns): string {
  return columns === "json" ? "t.json" : `CASE WHEN octet_length(t.json) <= ${maxShortJsonBytes} THEN t.json END`;
}

/** Returns the condition of a filter. */
export function conditionOf(table: Table, field: string): Condition {
  if (field === "ids") return { column: "t.id", rank: 0, isList: true, isId: true };
  const listed = listFilters[field];
  if (listed !== undefined) return { ...conditionOf(table, listed), isList: true };
  const unique = uniqueOf(table, field);
  const link = table.links.find((links) => links.field.replace(/Ids$/, "Id") === field);
  // The scan uses the index of the link table.
  if (link !== undefined) return { column: `l.${link.target}`, link, rank: 0 };
  if (unique !== undefined) return { column: `t.${unique.name}`, rank: selectivityHigh, isUnique: true };
  const digits = table.digits.find((each) => each.field === field);
  if (digits !== undefined) return { column: `t.${digits.name}`, rank: selectivityHigh, isDigits: true };
  const before = compositeIndexes[field];
  return {
    column: columnOf(field),
    rank: ranks[field] ?? selectivityLow,
    ...(before && { indexedAfter: columnOf(before) }),
  };
}

function columnOf(field: string): string {
  return `t."${snakeCase(field)}"`;
}

/** Converts a value to the values of its condition. */
export function columnValues(dialect: Dialect, table: Table, field: string, value: unknown): unknown[] {
  const isPhone = table.digits.some((column) => column.field === field);
  return isPhone
    ? [phoneKey(String(value)), `%${phoneDigits(String(value))}`]
    : [columnValue(dialect, table, field, value)];
}

function columnValue(dialect: Dialect, table: Table, field: string, value: unknown): unknown {
  const listed = listFilters[field];
  if (listed !== undefined)
    return JSON.stringify((value as readonly string[]).map((each) => columnValue(dialect, table, listed, each)));
  const unique = uniqueOf(table, field);
  if (unique !== undefined) return unique.normalize(String(value));
  return typeof value === "boolean" ? dialect.boolean(value) : value;
}

function uniqueOf({ uniques }: Table, field: string): UniqueColumn | undefined {
  return uniques.find((column) => column.field === field);
}

/** If a condition is selective, hides the others from the planner, so that it uses the index of the selective one. */
function termsOf(
  { withoutIndex, isAnyOf, isSelected, idsWithWords, lastDigits, placeholder }: Dialect,
  conditions: readonly Condition[],
): string[] {
  const [first] = conditions.toSorted((a, b) => a.rank - b.rank);
  return conditions.map((each) => {
    if (each.isWords) return isSelected(each.column, idsWithWords);
    const compared = each.isDigits ? lastDigits(each.column) : each.column;
    const condition = each.isList ? isAnyOf(each.column) : `${compared} = ${placeholder}`;
    const usesIndex =
      each.isId ||
      first === undefined ||
      first.rank >= selectivityLow ||
      each === first ||
      each.indexedAfter === first.column;
    const term = usesIndex ? condition : withoutIndex(condition);
    // The index has no NULL.
    return each.isDigits ? `${term} AND ${each.column} IS NOT NULL AND ${each.column} LIKE ${placeholder}` : term;
  });
}
