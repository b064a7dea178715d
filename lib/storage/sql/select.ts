import type { Position, Query } from "../storage.ts";
import { type Dialect, type LinkTable, selectColumns, snakeCase, type Table, type UniqueColumn } from "./table.ts";

/** A list as SQL. Statements with the same text are prepared once. */
export type Select = { readonly sql: string; readonly values: readonly unknown[] };

type Condition = {
  readonly column: string;
  readonly link?: LinkTable;
  /** Few records share a value of this field, whatever else they have in common: the fewer, the lower the number. */
  readonly rank: number;
  /** The column behind which an index has this one. */
  readonly after?: string;
  /** At most one record that is not archived has a value of this field. */
  readonly isUnique?: boolean;
};

/** Values that few records share, and fields that name a record which a few others are about. */
const [selectivityHigh, selectivityMedium, selectivityLow] = [1, 2, 3];
const ranks: Readonly<Record<string, number>> = {
  externalId: selectivityHigh,
  relatedToId: selectivityMedium,
  accountId: selectivityMedium,
};
/** Fields that an index has behind another one. */
const compositeIndexes: Readonly<Record<string, string>> = { assignedTo: "relatedToId" };

/** What a list is but for its values. */
type QueryShape = {
  readonly fields: readonly string[];
  readonly archived: boolean;
  readonly isPlaced: boolean;
  readonly shown: Shown;
};

/** What is read of each record: all its columns, or its ID, its time and the column `json`, which is NULL in `shortJson` if it is long. */
export type Shown = "record" | "json" | "shortJson";
const maxShortBytes = 16 * 1024;

/** More shapes than all endpoints together can ask for; the bound is against surprises. */
const textsMax = 1_000;
const texts = new Map<string, string>();

/**
 * The statement of a list. Each shape walks one index whose order is the order of the answer, so that a page costs
 * the same wherever it lies; with archived records it merges two such walks.
 */
export function buildSelect(
  dialect: Dialect,
  table: Table,
  tenant: string,
  query: Query,
  shown: Shown = "record",
): Select {
  const { where = {}, includeArchived = false, limit = dialect.noLimit } = query;
  const fields = Object.keys(where);
  const start = startOf(query);
  const values = [tenant, ...fields.map((field) => columnValue(dialect, table, field, where[field]))];
  if (start !== undefined) values.push(start.updatedAt, start.id);
  const sql = textOf(dialect, table, { fields, archived: includeArchived, isPlaced: start !== undefined, shown });
  return { sql, values: includeArchived ? [...values, ...values, limit] : [...values, limit] };
}

/** Made once for each shape. */
function textOf(dialect: Dialect, table: Table, shape: QueryShape): string {
  const name = `${dialect.name} ${table.name} ${shape.shown} ${shape.archived} ${shape.isPlaced} ${shape.fields}`;
  const known = texts.get(name);
  if (known !== undefined) return known;
  const conditions = shape.fields.map((field) => conditionOf(table, field));
  const walks = shape.archived ? [0, 1] : [0];
  const parts = walks.map((archived) => walk(dialect, table, conditions, archived, shape));
  const text = `${parts.join(" UNION ALL ")} ORDER BY updated_at, id LIMIT ${dialect.placeholder}`;
  if (texts.size >= textsMax) texts.clear();
  texts.set(name, text);
  return text;
}

/** `updatedSince` is the place before every id of that instant; the later of the two counts. */
function startOf({ after, updatedSince }: Query): Position | undefined {
  if (updatedSince === undefined) return after;
  if (after !== undefined && after.updatedAt >= updatedSince) return after;
  return { updatedAt: updatedSince, id: "" };
}

function walk(
  dialect: Dialect,
  table: Table,
  conditions: readonly Condition[],
  archived: number,
  { isPlaced, shown }: QueryShape,
): string {
  const { placeholder } = dialect;
  const link = conditions.find((condition) => condition.link !== undefined)?.link;
  const lead =
    link === undefined
      ? { id: "t.id", updatedAt: "t.updated_at" }
      : { id: `l.${link.owner}`, updatedAt: "l.updated_at" };
  const from =
    link === undefined
      ? `${table.name} t`
      : `${link.name} l ${dialect.orderedJoin} ${table.name} t ON t.tenant_id = l.tenant_id AND t.id = l.${link.owner}`;
  const side = link === undefined ? "t" : "l";
  const place = isPlaced ? [`(${lead.updatedAt}, ${lead.id}) > (?, ?)`] : [];
  const own = `${side}.tenant_id = ${placeholder}`;
  // The index that keeps a value unique has those that are not archived, and another one the rest.
  const isOne = conditions.some(({ isUnique }) => isUnique);
  const kept = isOne ? `t.archived_at IS ${archived === 1 ? "NOT NULL" : "NULL"}` : `${side}.archived = ${archived}`;
  const terms = [own, ...termsOf(dialect, conditions), kept, ...place];
  const json = shown === "json" ? "t.json" : `CASE WHEN octet_length(t.json) <= ${maxShortBytes} THEN t.json END`;
  const columns =
    shown === "record"
      ? selectColumns(dialect, table, lead)
      : `${lead.id} AS id, ${lead.updatedAt} AS updated_at, ${json} AS json`;
  return `SELECT ${columns} FROM ${from} WHERE ${terms.join(" AND ")}`;
}

function conditionOf(table: Table, field: string): Condition {
  const unique = uniqueOf(table, field);
  const link = table.links.find((links) => links.field.replace(/Ids$/, "Id") === field);
  // A walk of links is the only one that there is then.
  if (link !== undefined) return { column: `l.${link.target}`, link, rank: 0 };
  if (unique !== undefined) return { column: `t.${unique.name}`, rank: selectivityHigh, isUnique: true };
  const leader = compositeIndexes[field];
  return { column: columnOf(field), rank: ranks[field] ?? selectivityLow, ...(leader && { after: columnOf(leader) }) };
}

function columnOf(field: string): string {
  return `t."${snakeCase(field)}"`;
}

/** A value as the column that it is compared with keeps it. */
function columnValue(dialect: Dialect, table: Table, field: string, value: unknown): unknown {
  const unique = uniqueOf(table, field);
  if (unique !== undefined) return unique.fold(String(value));
  return typeof value === "boolean" ? dialect.boolean(value) : value;
}

function uniqueOf({ uniques }: Table, field: string): UniqueColumn | undefined {
  return uniques.find((column) => column.field === field);
}

/** Where few records share one of the values, the other conditions must not lead the walk through a longer index. */
function termsOf({ withoutIndex, placeholder }: Dialect, conditions: readonly Condition[]): string[] {
  const [lead] = conditions.toSorted((one, other) => one.rank - other.rank);
  return conditions.map((each) => {
    const condition = `${each.column} = ${placeholder}`;
    const leads = lead === undefined || lead.rank === selectivityLow || each === lead || each.after === lead.column;
    return leads ? condition : withoutIndex(condition);
  });
}
