import { type Columns, createTargetFinder, textIndexOf } from "../../import/column-mapping.ts";
import type { ColumnTarget } from "../../import/column-target.ts";
import type { LocaleFormat } from "../../import/locale-format.ts";
import { NdjsonKeyMapping } from "../../import/ndjson-key-mapping.ts";
import type { RawRow } from "../../import/raw-row.ts";
import { csvRowValues, jsonRowValues, type RowValues } from "../../import/row-values.ts";
import { normalizeName } from "../../import/suggest-name.ts";
import type { Entity } from "../names.ts";
import type { OpenFile } from "./open-file.ts";
import { importTargets, type LabeledTarget } from "./targets.ts";

export type ImportOptions = {
  readonly locale: LocaleFormat;
  /** An empty text creates a record for each row. */
  readonly upsertBy: string;
  readonly emptyClears: boolean;
  readonly isForSpreadsheet: boolean;
  /** Names of the targets whose invalid cells are omitted. */
  readonly dropInvalid: readonly string[];
  /** Names of the targets by column, empty for an ignored column. Not used for NDJSON. */
  readonly assigned: readonly string[];
};

/** A row with its values. */
export type PlannedRow = { readonly row: RawRow; readonly values: RowValues };

/** Returns the column names by target, if they differ, and a function that parses a row. */
export function parserOf(
  { header, format }: OpenFile,
  targets: readonly LabeledTarget[],
  options: ImportOptions,
): { readonly columnNames: ReadonlyMap<string, string>; parse(row: RawRow): RowValues } {
  if (format === "ndjson" || header === undefined) {
    const writable = targets.map((each) =>
      each.name === "id" ? (importTargets([each], options.upsertBy)[0] ?? each) : each,
    );
    const keys = new NdjsonKeyMapping(writable, new Map(), false);
    return { columnNames: new Map(), parse: (row) => jsonRowValues(row, keys) };
  }
  const byName = new Map<string, ColumnTarget>(
    importTargets(targets, options.upsertBy).map((each) => [each.name, each]),
  );
  const assigned = header.map((_, index) => byName.get(options.assigned[index] ?? ""));
  const find = createTargetFinder(targets);
  const columns: Columns = {
    targets: assigned,
    columnNames: new Map(
      assigned.flatMap((target, index): [string, string][] => {
        const name = header[index]?.trim() ?? "";
        return target === undefined || normalizeName(name) === normalizeName(target.name) ? [] : [[target.name, name]];
      }),
    ),
    readOnlyNames: [],
    templates: [],
    archivedAt: header.findIndex((name) => find(name)?.name === "archivedAt"),
    text: textIndexOf(header),
  };
  const parse = (row: RawRow): RowValues => csvRowValues(row, columns, options.isForSpreadsheet, options.locale);
  return { columnNames: columns.columnNames, parse };
}

const maxRows = 100;
/** Half of the limit of a request body. */
const maxLength = 500_000;
/** Of 10,000 keys and entries in a request. */
const maxMembers = 5_000;

/**
 * Splits the rows into batches. The same rows give the same batches. With `upsertBy`, rows with the same value are in
 * different batches, because one batch can write a record only once.
 */
export function splitIntoBatches(rows: readonly PlannedRow[], upsertBy: string): readonly (readonly PlannedRow[])[] {
  const batches: PlannedRow[][] = [];
  let batch: PlannedRow[] = [];
  let [length, members] = [0, 0];
  let keys = new Set<string>();
  for (const each of rows) {
    const text = JSON.stringify(each.values.pairs.map(({ value }) => value));
    const count = 8 + text.split(",").length;
    const key = keyOf(each.values, upsertBy);
    const isFull = batch.length >= maxRows || length + text.length > maxLength || members + count > maxMembers;
    if (batch.length > 0 && (isFull || (key !== undefined && keys.has(key)))) {
      batches.push(batch);
      [batch, length, members, keys] = [[], 0, 0, new Set()];
    }
    batch.push(each);
    length += text.length;
    members += count;
    if (key !== undefined) keys.add(key);
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** Returns the comparable value of a field, or undefined if it is empty. */
export function keyOf({ pairs }: RowValues, field: string): string | undefined {
  const value = pairs.find(({ target }) => target.name === field)?.value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  // ß equals ss, as in the API.
  return value.normalize("NFKC").trim().replace(/\s+/g, " ").toUpperCase().toLowerCase();
}

/** The field whose value only one record of the entity can have. */
export const uniqueFields: Partial<Record<Entity, string>> = { account: "name", contact: "email" };
