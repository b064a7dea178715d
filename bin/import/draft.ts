import { fromCell } from "./cell.ts";
import { type Columns, type Finder, rejectColumns } from "./columns.ts";
import { objectOf } from "./ndjson-rows.ts";
import type { RawRow } from "./rows.ts";
import { unshielded } from "./spreadsheet.ts";
import type { Target } from "./target.ts";

/** A value for a field; undefined: the cell is empty. */
export type Pair = { readonly target: Target; readonly value: unknown };

/** A row as a record that is to be: its values, and what is wrong with its form. */
export type Draft = { readonly pairs: readonly Pair[]; readonly faults: readonly string[] };

/** What a row of CSV says. */
export function csvDraft({ raw }: RawRow, { targets, archivedAt }: Columns, isForSpreadsheet: boolean): Draft {
  const cells = raw as readonly string[];
  if (cells.length !== targets.length) return { pairs: [], faults: [countFault(cells, targets.length)] };
  const pairs: Pair[] = [];
  for (const [index, target] of targets.entries()) {
    const cell = isForSpreadsheet ? unshielded(cells[index] ?? "") : (cells[index] ?? "");
    if (target !== undefined) pairs.push({ target, value: cell === "" ? undefined : fromCell(target, cell) });
  }
  return { pairs, faults: archivedFault(cells[archivedAt]) };
}

/** What a line of NDJSON says. A key that is no field's goes on as it is: the API names it, with what was meant. */
export function jsonDraft({ raw }: RawRow, find: Finder, ignoreColumns: boolean): Draft {
  const object = objectOf(raw as string);
  if (typeof object === "string") return { pairs: [], faults: [object] };
  const pairs: Pair[] = [];
  for (const [key, value] of Object.entries(object)) {
    if (rejectColumns.includes(key)) continue;
    const inner = isObject(value) && ["address", "customFields", "relatedTo"].includes(key);
    const entries = inner ? Object.entries(value).map(([member, each]) => [`${key}.${member}`, each]) : [[key, value]];
    for (const [name, each] of entries as [string, unknown][]) {
      const target = find(name) ?? (ignoreColumns ? undefined : unknownTarget(name, inner ? key : undefined));
      if (target !== undefined && target.form !== "service") pairs.push({ target, value: each });
    }
  }
  return { pairs, faults: archivedFault(object.archivedAt) };
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
