import { quoteJson, visibleFields } from "../../model/json.ts";
import { type Kind, models } from "../../model/kinds.ts";
import type { ColumnType } from "../../model/model.ts";
import { formatDateTime } from "../../model/time.ts";
import type { RecordJson } from "../storage.ts";
import { type Table, type TableColumn, tables } from "./table.ts";

/** A value of the JSON: what stands before it, and the place of its column, or the values that it is an object of. */
type JsonColumn = {
  readonly before: string;
  readonly at: number;
  readonly type: ColumnType;
  readonly members?: readonly JsonColumn[];
};

const plans = Object.fromEntries(
  Object.entries(tables).map(([kind, table]) => [kind, jsonPlan(kind as Kind, table)]),
) as Readonly<Record<Kind, readonly JsonColumn[]>>;

/**
 * What `toJsonText` writes of the record in the row that `selection` reads, letter by letter: without the record, which
 * costs as much again.
 */
export function rowToJson({ kind, columns }: Table, row: readonly unknown[]): RecordJson {
  const [id, updatedAt, archivedAt] = [row[0] as string, row[columns.length - 2] as number, row[columns.length - 1]];
  let json = `{"id":${quoteJson(id)}`;
  for (const part of plans[kind]) json += part.before + valueJson(part, row);
  const archived = archivedAt === null ? "" : `,"archivedAt":"${formatDateTime(archivedAt)}"`;
  return { id, updatedAt, json: `${json}${archived}}` };
}

function valueJson({ at, type, members }: JsonColumn, row: readonly unknown[]): string {
  if (members !== undefined) return objectJson(members, row);
  const value = row[at];
  if (value === null) return "null";
  if (type === "text") return quoteJson(value);
  if (type === "timestamp") return `"${formatDateTime(value)}"`;
  if (type === "boolean") return value === 1 ? "true" : "false";
  // What is kept as JSON was written by the runtime, and would be written so again.
  return type === "json" || type === "links" ? (value as string) : JSON.stringify(value);
}

/** Null as a whole where each of its columns is. */
function objectJson(members: readonly JsonColumn[], row: readonly unknown[]): string {
  let json = "";
  for (const member of members) {
    if (row[member.at] !== null) json += (json === "" ? "{" : ",") + member.before + valueJson(member, row);
  }
  return json === "" ? "null" : `${json}}`;
}

function jsonPlan(kind: Kind, { columns, links }: Table): readonly JsonColumn[] {
  const partOf = (before: string, column: TableColumn): JsonColumn => ({
    before,
    at: columns.indexOf(column),
    type: column.type,
  });
  const fields = visibleFields(models[kind]).map(({ name, before }): JsonColumn => {
    const link = links.findIndex(({ field }) => field === name);
    if (link >= 0) return { before, at: columns.length + link, type: "links" };
    const own = columns.filter(({ field }) => field === name);
    const [only] = own as [TableColumn];
    if (only.member === undefined) return partOf(before, only);
    const members = own.map((column) => partOf(`${JSON.stringify(column.member)}:`, column));
    return { before, at: Number.NaN, type: "json", members };
  });
  const stamps = columns.slice(-3, -1).map((column) => partOf(`,${JSON.stringify(column.field)}:`, column));
  return [...fields, ...stamps];
}
