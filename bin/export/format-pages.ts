import { escapeFormula, formatCell } from "../import/cell.ts";
import type { ColumnTarget } from "../import/column-target.ts";
import { formatCsv } from "../import/format-csv.ts";
import type { Format } from "../import/raw-row.ts";
import type { ReferenceNames } from "./reference-names.ts";

/** A record as JSON of the API. */
export type ApiRecord = Readonly<Record<string, unknown>>;

export type ExportFormat = {
  readonly format: Format;
  readonly delimiter: string;
  /** The columns in order. */
  readonly targets: readonly ColumnTarget[];
  /** Whether NDJSON contains only the targets, not the complete records. */
  readonly hasFieldList: boolean;
  /** Undefined to export IDs. */
  readonly names: ReferenceNames | undefined;
  /** Whether to escape cells that a spreadsheet would run. */
  readonly escapeFormulas: boolean;
};

/** Yields the text of an export, one chunk per page. */
export async function* formatPages(
  pages: AsyncIterable<readonly ApiRecord[]>,
  shape: ExportFormat,
): AsyncGenerator<string> {
  const { format, targets, delimiter } = shape;
  // Spreadsheets read a file without a byte order mark in the encoding of the country.
  if (format === "csv" && shape.escapeFormulas) yield "\ufeff";
  if (format === "csv") yield formatCsv([targets.map(({ name }) => name)], delimiter);
  for await (const page of pages) {
    const rows = await Promise.all(page.map((record) => valuesOf(record, shape)));
    if (rows.length === 0) continue;
    if (format === "csv")
      yield formatCsv(
        rows.map((values) => cellsOf(values, shape)),
        delimiter,
      );
    else
      yield rows
        .map((values, index) => `${JSON.stringify(objectOf(values, page[index] as ApiRecord, shape))}\n`)
        .join("");
  }
}

/** Returns the values of a record in the order of the columns. */
async function valuesOf(record: ApiRecord, { targets, names }: ExportFormat): Promise<readonly unknown[]> {
  const found = targets.map(({ field, member }) => {
    const value = record[field];
    return member === undefined ? value : memberOf(value, member);
  });
  if (names === undefined) return found;
  const type = String(memberOf(record.relatedTo, "type"));
  return Promise.all(
    targets.map(({ valueType, kind, field }, index) => {
      const isReference = valueType === "reference" || valueType === "references";
      return isReference ? names.replace(field === "relatedTo" ? type : (kind ?? ""), found[index]) : found[index];
    }),
  );
}

function cellsOf(values: readonly unknown[], { targets, escapeFormulas }: ExportFormat): string[] {
  return targets.map((target, index) => {
    const cell = formatCell(target, values[index]);
    return escapeFormulas ? escapeFormula(target, cell) : cell;
  });
}

/** Returns the record for NDJSON: complete or with selected fields, with IDs or names. */
function objectOf(
  values: readonly unknown[],
  record: ApiRecord,
  { targets, hasFieldList, names }: ExportFormat,
): ApiRecord {
  if (!hasFieldList && names === undefined) return record;
  const result: Record<string, unknown> = hasFieldList ? {} : { ...record };
  for (const [index, { field, member }] of targets.entries()) {
    const value = values[index];
    if (member === undefined) result[field] = value;
    else if (record[field] === null) result[field] = null;
    else if (value !== undefined) result[field] = { ...(result[field] as ApiRecord | undefined), [member]: value };
  }
  return result;
}

function memberOf(value: unknown, member: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return undefined;
  return (value as ApiRecord)[member];
}
