import type { Position, Query } from "../storage.ts";
import { type Dialect, type LinkTable, selection, snakeCase, type Table } from "./table.ts";

/** A list as SQL. Statements with the same text are prepared once. */
export type Select = { readonly sql: string; readonly values: readonly unknown[] };

type Condition = {
  readonly column: string;
  readonly value: unknown;
  readonly link?: LinkTable;
  /** Few records share a value of this field, whatever else they have in common. */
  readonly selective?: true;
};

/**
 * The statement of a list. Each shape walks one index whose order is the order of the answer, so that a page costs
 * the same wherever it lies; with archived records it merges two such walks.
 */
export function selectOf(dialect: Dialect, table: Table, tenant: string, query: Query): Select {
  const conditions = Object.entries(query.where ?? {}).map(([field, value]) =>
    conditionOf(dialect, table, field, value),
  );
  const start = startOf(query);
  const walks = query.archived === true ? [0, 1] : [0];
  const parts = walks.map((archived) => walk(dialect, table, tenant, conditions, archived, start));
  const values = parts.flatMap((part) => part.values);
  const sql = `${parts.map((part) => part.sql).join(" UNION ALL ")} ORDER BY updated_at, id LIMIT ?`;
  return { sql, values: [...values, query.limit ?? dialect.unlimited] };
}

/** `since` is the place before every id of that instant; the later of the two counts. */
function startOf({ after, since }: Query): Position | undefined {
  if (since === undefined) return after;
  if (after !== undefined && after.updatedAt >= since) return after;
  return { updatedAt: since, id: "" };
}

function walk(
  dialect: Dialect,
  table: Table,
  tenant: string,
  conditions: readonly Condition[],
  archived: number,
  start: Position | undefined,
): Select {
  const link = conditions.find((condition) => condition.link !== undefined)?.link;
  const lead =
    link === undefined
      ? { id: "t.id", updatedAt: "t.updated_at" }
      : { id: `l.${link.owner}`, updatedAt: "l.updated_at" };
  const from =
    link === undefined
      ? `${table.name} t`
      : `${link.name} l ${dialect.leadingJoin} ${table.name} t ON t.tenant_id = l.tenant_id AND t.id = l.${link.owner}`;
  const side = link === undefined ? "t" : "l";
  const place = start === undefined ? [] : [`(${lead.updatedAt}, ${lead.id}) > (?, ?)`];
  const terms = [`${side}.tenant_id = ?`, ...termsOf(dialect, conditions), `${side}.archived = ${archived}`, ...place];
  return {
    sql: `SELECT ${selection(dialect, table, lead)} FROM ${from} WHERE ${terms.join(" AND ")}`,
    values: [
      tenant,
      ...conditions.map(({ value }) => value),
      ...(start === undefined ? [] : [start.updatedAt, start.id]),
    ],
  };
}

function conditionOf(dialect: Dialect, table: Table, field: string, value: unknown): Condition {
  const unique = table.uniques.find((column) => column.field === field);
  const link = table.links.find((links) => links.field.replace(/Ids$/, "Id") === field);
  if (link !== undefined) return { column: `l.${link.target}`, value, link };
  if (unique !== undefined) return { column: `t.${unique.name}`, value: unique.fold(String(value)), selective: true };
  const kept = typeof value === "boolean" ? dialect.boolean(value) : value;
  return { column: `t."${snakeCase(field)}"`, value: kept, ...(field === "externalId" ? { selective: true } : {}) };
}

/** Where one condition is selective, the others must not lead the walk through a longer index. */
function termsOf({ aside }: Dialect, conditions: readonly Condition[]): string[] {
  const lead = conditions.find(({ selective, link }) => selective === true || link !== undefined);
  return conditions.map((each) => {
    const condition = `${each.column} = ?`;
    return lead === undefined || each === lead ? condition : aside(condition);
  });
}
