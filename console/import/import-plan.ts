import {
  type ColumnTarget,
  type ColumnTemplate,
  columnsOf,
  createKeyMapping,
  createTargetFinder,
  csvRowValues,
  type Entity,
  guessColumns,
  guessDateFormats,
  guessDecimals,
  isWritable,
  jsonRowValues,
  type LocaleFormat,
  MappingError,
  mapValues,
  parseTemplates,
  type RawRow,
  type RowValues,
  sortParts,
  type ValueMap,
} from "crm-integrations/transfer";
import type { OpenFile } from "./open-file.ts";
import type { LabeledTarget } from "./targets.ts";

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
  /** How the columns of a target are joined, such as `{Vorname} {Nachname}`, by target name. */
  readonly joins: Readonly<Record<string, string>>;
  readonly values: ValueMap;
};

/** The options that the user has chosen. The others are guessed. */
export type ImportChanges = Partial<Omit<ImportOptions, "locale">> & { readonly locale?: Partial<LocaleFormat> };

export type ImportPlan = {
  readonly options: ImportOptions;
  /** A number in the file that has two meanings, such as 1.200, as long as the user hasn't chosen one. */
  readonly ambiguousNumber: string | undefined;
};

/** Returns the options: those that the user has chosen, and guesses from the names and all values of the columns. */
export function planImport(
  file: OpenFile,
  targets: readonly LabeledTarget[],
  entity: Entity,
  changes: ImportChanges,
): ImportPlan {
  const header = file.header ?? [];
  const rows = file.header === undefined ? [] : file.rows.map(({ raw }) => raw as readonly string[]);
  const { upsertBy = "", locale = {} } = changes;
  const offered = targets.filter(isWritable);
  const assigned =
    changes.assigned ?? guessColumns(header, offered, { entity, rows }).map((target) => target?.name ?? "");
  const valuesOf = (fits: (target: LabeledTarget) => boolean): readonly string[] => {
    const names = new Set(offered.filter(fits).map(({ name }) => name));
    const indexes = assigned.flatMap((name, index) => (names.has(name) ? [index] : []));
    return rows.flatMap((cells) => indexes.map((index) => cells[index] ?? ""));
  };
  const dateFormats =
    locale.dateFormat === undefined ? guessDateFormats(valuesOf(({ isDate }) => isDate === true)) : [];
  const numbers =
    locale.decimal === undefined ? valuesOf(({ valueType }) => valueType === "number" || valueType === "currency") : [];
  const decimals = guessDecimals(numbers);
  return {
    options: {
      ...{ emptyClears: false, isForSpreadsheet: false, dropInvalid: [], joins: {}, values: {}, ...changes },
      ...{ upsertBy, assigned },
      locale: {
        // A day that could be a month isn't guessed. The check asks for it.
        dateFormat: (dateFormats.length === 1 && dateFormats[0]) || "YYYY-MM-DD",
        decimal: decimals[0] ?? ".",
        trim: true,
        ...locale,
        encoding: file.encoding,
      },
    },
    ambiguousNumber: decimals.length > 1 ? numbers.find((text) => guessDecimals([text]).length > 1)?.trim() : undefined,
  };
}

/** Returns the columns of a target that several columns fill. */
export function joinedColumns(header: readonly string[], assigned: readonly string[], name: string): readonly number[] {
  const indexes = assigned.flatMap((each, index) => (each === name && name !== "" ? [index] : []));
  return indexes.length > 1 ? sortParts(header, indexes) : [];
}

/** Returns how columns are joined if the user hasn't changed it. */
export function defaultJoin(header: readonly string[], indexes: readonly number[]): string {
  return indexes.map((index) => `{${(header[index] ?? "").trim()}}`).join(" ");
}

/** @throws MappingError if the text names a column that the file doesn't have */
function templateOf(
  target: ColumnTarget,
  header: readonly string[],
  indexes: readonly number[],
  text: string | undefined,
): ColumnTemplate {
  if (text !== undefined && text !== defaultJoin(header, indexes)) {
    const [template] = parseTemplates([`${target.name}=${text}`], [target], header);
    if (template !== undefined) return template;
    throw new MappingError(text);
  }
  const names = indexes.map((index) => `{${index}}`);
  return { target, text: names.join(" "), columns: new Map(indexes.map((index) => [String(index), index])) };
}

/** Returns the names of targets whose columns can't be joined. */
export function invalidJoins(header: readonly string[], { assigned, joins }: ImportOptions): readonly string[] {
  return Object.entries(joins).flatMap(([name, text]) => {
    const indexes = joinedColumns(header, assigned, name);
    if (indexes.length === 0) return [];
    try {
      templateOf({ name, field: name, valueType: "text", nullable: true }, header, indexes, text);
      return [];
    } catch {
      return [name];
    }
  });
}

/** Returns the column names by target, if they differ, and a function that parses a row. */
export function parserOf(
  { header, format }: OpenFile,
  targets: readonly LabeledTarget[],
  options: ImportOptions,
): { readonly columnNames: ReadonlyMap<string, string>; parse(row: RawRow): RowValues } {
  if (format === "ndjson" || header === undefined) {
    const keys = createKeyMapping(targets, new Map(), false);
    return { columnNames: new Map(), parse: (row) => mapValues(jsonRowValues(row, keys), options.values) };
  }
  const offered = targets.filter(isWritable);
  const joined = offered.flatMap((target) => {
    const indexes = joinedColumns(header, options.assigned, target.name);
    return indexes.length === 0 ? [] : [templateOf(target, header, indexes, options.joins[target.name])];
  });
  const assigned = header.map((name, index) => {
    const target = offered.find((each) => each.name === options.assigned[index]);
    return { name, target: joined.some((template) => template.target === target) ? undefined : target };
  });
  const find = createTargetFinder(targets);
  // An archived record is rejected, whatever field the column is assigned to.
  const archivedAt = header.findIndex((name) => find(name)?.name === "archivedAt");
  const columns = { ...columnsOf(assigned, joined), archivedAt };
  const parse = (row: RawRow): RowValues =>
    mapValues(csvRowValues(row, columns, options.isForSpreadsheet, options.locale), options.values);
  return { columnNames: columns.columnNames, parse };
}
