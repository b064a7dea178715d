import { quoteJson, visibleFields } from "../../model/json.ts";
import { type Kind, models } from "../../model/kinds.ts";
import type { ColumnType } from "../../model/model.ts";
import { formatDateTime } from "../../model/time.ts";
import type { RecordJson } from "../storage.ts";
import { type Table, type TableColumn, tables } from "./table.ts";

/** A member of the JSON: the text before its value, and the index of its column. An object has several columns. */
type JsonMember = {
  readonly before: string;
  readonly index: number;
  readonly type: ColumnType;
  readonly members?: readonly JsonMember[];
};

const jsonMembers = Object.fromEntries(
  Object.entries(tables).map(([kind, table]) => [kind, membersOf(kind as Kind, table)]),
) as Readonly<Record<Kind, readonly JsonMember[]>>;

/** Converts a row of `selectColumns` to the JSON that `toJsonText` returns, without creating the record. */
export function rowToJson({ kind, columns }: Table, row: readonly unknown[]): RecordJson {
  const [id, updatedAt, archivedAt] = [row[0] as string, row[columns.length - 2] as number, row[columns.length - 1]];
  let json = `{"id":${quoteJson(id)}`;
  for (const member of jsonMembers[kind]) json += member.before + valueJson(member, row);
  const archived = archivedAt === null ? "" : `,"archivedAt":"${formatDateTime(archivedAt)}"`;
  return { id, updatedAt, json: `${json}${archived}}` };
}

function valueJson({ index, type, members }: JsonMember, row: readonly unknown[]): string {
  if (members !== undefined) return objectJson(members, row);
  const value = row[index];
  if (value === null) return "null";
  if (type === "text") return quoteJson(value);
  if (type === "timestamp") return `"${formatDateTime(value)}"`;
  if (type === "boolean") return value === 1 ? "true" : "false";
  // The stored JSON comes from JSON.stringify, so parsing and serializing it again would give the same text.
  return type === "json" || type === "links" ? (value as string) : JSON.stringify(value);
}

/** Returns `null` if all columns of the object are null. Omits members that are null. */
function objectJson(members: readonly JsonMember[], row: readonly unknown[]): string {
  let json = "";
  for (const member of members) {
    if (row[member.index] !== null) json += (json === "" ? "{" : ",") + member.before + valueJson(member, row);
  }
  return json === "" ? "null" : `${json}}`;
}

function membersOf(kind: Kind, { columns, links }: Table): readonly JsonMember[] {
  const toMember = (before: string, column: TableColumn): JsonMember => ({
    before,
    index: columns.indexOf(column),
    type: column.type,
  });
  const fields = visibleFields(models[kind]).map(({ name, before }): JsonMember => {
    const link = links.findIndex(({ field }) => field === name);
    if (link >= 0) return { before, index: columns.length + link, type: "links" };
    const fieldColumns = columns.filter(({ field }) => field === name);
    const [first] = fieldColumns as [TableColumn];
    if (first.member === undefined) return toMember(before, first);
    const members = fieldColumns.map((column) => toMember(`${JSON.stringify(column.member)}:`, column));
    return { before, index: Number.NaN, type: "json", members };
  });
  const times = columns.slice(-3, -1).map((column) => toMember(`,${JSON.stringify(column.field)}:`, column));
  return [...fields, ...times];
}
