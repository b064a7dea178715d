import { parseCell } from "./cell.ts";
import { type Columns, type Finder, rejectColumns, textColumn } from "./columns.ts";
import { objectOf } from "./ndjson-rows.ts";
import type { RawRow } from "./rows.ts";
import { unescapeFormula } from "./spreadsheet.ts";
import { plain } from "./suggest-name.ts";
import type { Target } from "./target.ts";

/** A value for a field; undefined: the cell is empty. */
export type Pair = { readonly target: Target; readonly value: unknown };

/** A row as a record that is to be: its values, and what is wrong with its form. */
export type RowValues = { readonly pairs: readonly Pair[]; readonly faults: readonly string[] };

/** What a row of CSV says. */
export function csvRowValues(
  { raw }: RawRow,
  { targets, archivedAt, text }: Columns,
  isForSpreadsheet: boolean,
): RowValues {
  const cells = raw as readonly string[];
  if (cells.length !== targets.length) return { pairs: [], faults: [countFault(cells, targets.length)] };
  if (isSaid(cells[text])) return { pairs: [], faults: [textFault] };
  const pairs: Pair[] = [];
  for (const [index, target] of targets.entries()) {
    const cell = isForSpreadsheet ? unescapeFormula(cells[index] ?? "") : (cells[index] ?? "");
    if (target !== undefined) pairs.push({ target, value: cell === "" ? undefined : parseCell(target, cell) });
  }
  return { pairs, faults: archivedFault(cells[archivedAt]) };
}

/** How the keys of NDJSON are understood. */
export type Keys = {
  readonly find: Finder;
  /** Fields that are objects: names lead to their members. */
  readonly objects: readonly string[];
  readonly ignoreColumns: boolean;
};

/** A pair, and how its key is called in the row. */
type Led = Pair & { readonly key: string };

/** What a line of NDJSON says. A key that is no field's goes on as it is: the API names it, with what was meant. */
export function jsonRowValues({ raw }: RawRow, keys: Keys): RowValues {
  const object = objectOf(raw as string);
  if (typeof object === "string") return { pairs: [], faults: [object] };
  if (isSaid(object[textColumn])) return { pairs: [], faults: [textFault] };
  const own = Object.entries(object).filter(([key]) => !rejectColumns.includes(key));
  const pairs = own.flatMap(([key, value]) => ledBy(key, value, keys));
  return { pairs, faults: [...twiceFaults(pairs), ...archivedFault(object.archivedAt)] };
}

function ledBy(key: string, value: unknown, { find, objects, ignoreColumns }: Keys): readonly Led[] {
  const field = objects.find((each) => plain(each) === plain(key));
  // What is no object there is the whole field's: null empties it, and of all else the API says what is wrong with it.
  if (field !== undefined && !isObject(value)) return [{ key, target: unknownTarget(field, undefined), value }];
  const entries = field === undefined ? [[key, value] as const] : Object.entries(value as object);
  return entries.flatMap(([own, each]) => {
    const name = field === undefined ? own : `${field}.${own}`;
    const target = find(name) ?? (ignoreColumns ? undefined : unknownTarget(name, field));
    return target === undefined || target.form === "service" ? [] : [{ key: name, target, value: each }];
  });
}

/** Keys that lead to the same value, or to a whole field and to a member of it. */
function twiceFaults(pairs: readonly Led[]): readonly string[] {
  const seen = new Map<string, string>();
  return pairs.flatMap(({ key, target: { name, field, member } }) => {
    const anyMember = `${field}.`;
    const other = seen.get(name) ?? seen.get(member === undefined ? anyMember : field);
    seen.set(name, key);
    if (member !== undefined) seen.set(anyMember, key);
    const [one, both] = [other ?? "", key].map((each) => `"${each.slice(0, 60)}"`);
    return other === undefined ? [] : [`The keys ${one} and ${both} both lead to ${name.slice(0, 60)}.`];
  });
}

/** What could not be taken apart has to be put right before the row can go in. */
const textFault = `The row stands in ${textColumn} as it was. Put it where it belongs, and empty ${textColumn}.`;

function isSaid(text: unknown): boolean {
  return text !== undefined && text !== null && String(text).trim() !== "";
}

function unknownTarget(name: string, field: string | undefined): Target {
  const target = { name, field: field ?? name, form: "text", nullable: true } as const;
  return field === undefined ? target : { ...target, member: name.slice(field.length + 1) };
}

function countFault(cells: readonly string[], expected: number): string {
  const more = cells.slice(expected).map((cell) => `"${cell.slice(0, 60)}"`);
  const beyond = more.length > 0 ? ` Too many: ${more.slice(0, 5).join(", ")}.` : "";
  return `The row has ${cells.length} cells where the head has ${expected}.${beyond}`;
}

function archivedFault(archivedAt: unknown): readonly string[] {
  if (archivedAt === undefined || archivedAt === null || archivedAt === "") return [];
  return ["The record was archived. Take the row out, or empty archivedAt to have it not archived."];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
