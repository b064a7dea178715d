import { stringify } from "csv-stringify/sync";
import { formatCell } from "../import/cell.ts";
import type { Format } from "../import/rows.ts";
import { escapeFormula } from "../import/spreadsheet.ts";
import type { Target } from "../import/target.ts";
import type { ApiRecord } from "./export-pages.ts";
import type { ReferenceNames } from "./reference-names.ts";

export type RowsShape = {
  readonly format: Format;
  readonly delimiter: string;
  /** The columns, in their order. */
  readonly targets: readonly Target[];
  /** Only these are shown of a record, in NDJSON too; undefined: all of it. */
  readonly isChosen: boolean;
  /** Undefined: ids stay ids. */
  readonly names: ReferenceNames | undefined;
  /** Whether a spreadsheet is kept from taking a cell for a formula. */
  readonly isForSpreadsheet: boolean;
};

/** The text of an export, a page at a time. */
export async function* textOf(pages: AsyncIterable<readonly ApiRecord[]>, shape: RowsShape): AsyncGenerator<string> {
  const { format, targets, delimiter } = shape;
  if (format === "csv") yield stringify([targets.map(({ name }) => name)], { delimiter });
  for await (const page of pages) {
    const rows = await Promise.all(page.map((record) => valuesOf(record, shape)));
    if (rows.length === 0) continue;
    if (format === "csv")
      yield stringify(
        rows.map((values) => cellsOf(values, shape)),
        { delimiter },
      );
    else
      yield rows
        .map((values, index) => `${JSON.stringify(objectOf(values, page[index] as ApiRecord, shape))}\n`)
        .join("");
  }
}

/** A record's values in the order of the columns. */
async function valuesOf(record: ApiRecord, { targets, names }: RowsShape): Promise<readonly unknown[]> {
  const found = targets.map(({ field, member }) => {
    const value = record[field];
    return member === undefined ? value : own(value, member);
  });
  if (names === undefined) return found;
  const type = String(own(record.relatedTo, "type"));
  return Promise.all(
    targets.map(({ form, kind, field }, index) => {
      const refers = form === "reference" || form === "references";
      return refers ? names.of(field === "relatedTo" ? type : (kind ?? ""), found[index]) : found[index];
    }),
  );
}

function cellsOf(values: readonly unknown[], { targets, isForSpreadsheet }: RowsShape): string[] {
  return targets.map((target, index) => {
    const cell = formatCell(target, values[index]);
    return isForSpreadsheet ? escapeFormula(target, cell) : cell;
  });
}

/** The record as the API shows it, with what was chosen of it, or with names for ids. */
function objectOf(values: readonly unknown[], record: ApiRecord, { targets, isChosen, names }: RowsShape): ApiRecord {
  if (!isChosen && names === undefined) return record;
  const shown: Record<string, unknown> = isChosen ? {} : { ...record };
  for (const [index, { field, member }] of targets.entries()) {
    const value = values[index];
    if (member === undefined) shown[field] = value;
    else if (record[field] === null) shown[field] = null;
    else if (value !== undefined) shown[field] = { ...(shown[field] as ApiRecord | undefined), [member]: value };
  }
  return shown;
}

function own(value: unknown, member: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return undefined;
  return (value as ApiRecord)[member];
}
