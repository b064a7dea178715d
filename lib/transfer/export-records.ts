import { type ApiRecord, readPages, recordFinder, type TransferRequest } from "./api-requests.ts";
import { escapeFormula, formatCell } from "./cell.ts";
import type { ColumnTarget } from "./column-target.ts";
import { formatCsv } from "./csv.ts";
import type { Entity } from "./entities.ts";
import type { Format } from "./raw-row.ts";
import { ReferenceNames, targetValue } from "./reference-names.ts";

export type ExportOptions = {
  readonly entity: Entity;
  /** Only records changed at or after this time. */
  readonly updatedSince?: string | undefined;
  readonly includeArchived: boolean;
  readonly format: Format;
  readonly delimiter: string;
  /** The columns in order. */
  readonly targets: readonly ColumnTarget[];
  /** Whether NDJSON contains only the targets, not the complete records. */
  readonly hasFieldList: boolean;
  /** Whether references are written as names instead of IDs. */
  readonly useNames: boolean;
  /** Whether to escape cells that a spreadsheet would run. */
  readonly escapeFormulas: boolean;
};

/**
 * Yields the text of an export, one chunk per page, oldest change first. A record that changes during the export is
 * returned again. `onProgress` gets the number of records so far.
 */
export async function* exportRecords(
  request: TransferRequest,
  options: ExportOptions,
  onProgress: (records: number) => void = () => {},
): AsyncGenerator<string> {
  const { entity, includeArchived, updatedSince, format, targets, delimiter, escapeFormulas } = options;
  const names = options.useNames ? new ReferenceNames(recordFinder(request)) : undefined;
  // Without a byte order mark, spreadsheets read a file in the encoding of their locale.
  if (format === "csv" && escapeFormulas) yield "\ufeff";
  if (format === "csv") yield formatCsv([targets.map(({ name }) => name)], delimiter);
  let count = 0;
  for await (const page of readPages(request, entity, { includeArchived, updatedSince })) {
    await names?.load(page, targets);
    const rows = page.map((record) =>
      targets.map((target) => names?.replace(target, record) ?? targetValue(record, target)),
    );
    yield format === "csv"
      ? formatCsv(
          rows.map((values) => cellsOf(values, options)),
          delimiter,
        )
      : rows.map((values, index) => `${JSON.stringify(objectOf(values, page[index] ?? {}, options))}\n`).join("");
    count += page.length;
    onProgress(count);
  }
}

function cellsOf(values: readonly unknown[], { targets, escapeFormulas }: ExportOptions): string[] {
  return targets.map((target, index) => {
    const cell = formatCell(target, values[index]);
    return escapeFormulas ? escapeFormula(target, cell) : cell;
  });
}

/** Returns the record for NDJSON: complete or with selected fields, with IDs or names. */
function objectOf(
  values: readonly unknown[],
  record: ApiRecord,
  { targets, hasFieldList, useNames }: ExportOptions,
): ApiRecord {
  if (!hasFieldList && !useNames) return record;
  const result: Record<string, unknown> = hasFieldList ? {} : { ...record };
  for (const [index, { field, member }] of targets.entries()) {
    const value = values[index];
    if (member === undefined) result[field] = value;
    else if (record[field] === null) result[field] = null;
    else if (value !== undefined) result[field] = { ...(result[field] as ApiRecord | undefined), [member]: value };
  }
  return result;
}
