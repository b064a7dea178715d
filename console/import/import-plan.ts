import {
  type Columns,
  type ColumnTarget,
  columnKey,
  createTargetFinder,
  csvRowValues,
  jsonRowValues,
  type LocaleFormat,
  NdjsonKeyMapping,
  type RawRow,
  type RowValues,
  textIndexOf,
} from "crm-integrations/transfer";
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
        return target === undefined || columnKey(name) === columnKey(target.name) ? [] : [[target.name, name]];
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
