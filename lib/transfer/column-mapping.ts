import { type ColumnTarget, isWritable } from "./column-target.ts";
import { type ColumnTemplate, isTemplate } from "./column-template.ts";
import type { Entity } from "./entities.ts";
import { guessColumns, sortParts } from "./guess-columns.ts";
import { MappingError, rejectColumns, textColumn } from "./raw-row.ts";
import { columnKey, suggestName } from "./suggest-name.ts";
import { createTargetFinder } from "./target-finder.ts";

/** The maximum number of columns that one message names: a file can have half a million. */
const maxNamed = 20;
const maxNameLength = 60;

export type Columns = {
  /** The target of each column. Undefined for an ignored column. */
  readonly targets: readonly (ColumnTarget | undefined)[];
  /** Column names by target name, if they differ. */
  readonly columnNames: ReadonlyMap<string, string>;
  /** Names of columns with read-only values. */
  readonly readOnlyNames: readonly string[];
  readonly templates: readonly ColumnTemplate[];
  /** Index of archivedAt, or -1. */
  readonly archivedAt: number;
  /** Index of `_text` in a file of rejected rows, or -1. */
  readonly text: number;
};

/** Parses the values of --map, except templates. @throws MappingError */
export function parseMapping(
  maps: readonly string[],
  targets: readonly ColumnTarget[],
): ReadonlyMap<string, ColumnTarget> {
  const find = createTargetFinder(targets);
  const pairs = maps
    .filter((text) => !isTemplate(text))
    .map((text): [string, ColumnTarget] => {
      const [, name = "", column = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (name === "") throw new MappingError(`--map ${text} must be FIELD=COLUMN, such as --map name=Company.`);
      const target = find(name);
      const writable = targets.filter(isWritable).map((each) => each.name);
      if (target === undefined) {
        throw new MappingError(
          `--map ${text}: unknown field "${name}"${suggestName(name, writable)}. Known fields: ${writable.join(", ")}.`,
        );
      }
      if (!isWritable(target)) throw new MappingError(`--map ${text}: ${target.name} is read-only.`);
      return [column, target];
    });
  for (const [column, target] of pairs) {
    const [, other] = pairs.find(([name, each]) => columnKey(name) === columnKey(column) && each !== target) ?? [];
    if (other === undefined) continue;
    const names = `${target.name} and to ${other.name}`;
    throw new MappingError(`--map maps the column "${column}" to ${names}. Map it to one field only.`);
  }
  return new Map(pairs);
}

/**
 * Maps the columns of a header to targets.
 * @throws MappingError with all errors of the header
 */
export function mapColumns(
  header: readonly string[],
  targets: readonly ColumnTarget[],
  {
    mapping,
    ignoreColumns,
    templates = [],
    entity,
  }: {
    readonly mapping: ReadonlyMap<string, ColumnTarget>;
    readonly ignoreColumns: boolean;
    readonly templates?: readonly ColumnTemplate[];
    /** Adds guesses for unknown columns to the message. */
    readonly entity?: Entity;
  },
): Columns {
  const find = createTargetFinder(targets);
  const mapped = [...mapping].map(([column, target]) => ({ column, target, index: findColumn(header, column) }));
  const errors = mapped.flatMap(({ column, index }) => {
    return index >= 0 ? [] : [`The file doesn't have the column "${column}" of --map${suggestName(column, header)}.`];
  });
  const columns = header.map((name, index) => {
    const found = isReject(name) ? undefined : find(name);
    const untemplatedTarget = templates.some(({ target }) => target === found) ? undefined : found;
    const isUsed = templates.some((template) => [...template.columns.values()].includes(index));
    // Two columns for one field are an error, unless --ignore-columns allows ignoring the unmapped one.
    const unmapped =
      ignoreColumns && mapped.some(({ target }) => target === untemplatedTarget) ? undefined : untemplatedTarget;
    const target = mapped.find((each) => each.index === index)?.target ?? unmapped;
    return { name, target, known: target !== undefined || isReject(name) || isUsed };
  });
  errors.push(...repeatedColumns(header), ...conflictingColumns(columns));
  const unknown = columns.filter(({ known }) => !known).map(({ name }) => name);
  if (unknown.length > 0 && !ignoreColumns) {
    const used = [...columns, ...templates].map(({ target }) => target);
    const free = targets.filter((target) => !used.includes(target));
    errors.push(unknownColumnsMessage(unknown, targets, entity && guessColumns(unknown, free, { entity })));
  }
  if (errors.length > 0) throw new MappingError(errors.join("\n  "));
  return columnsOf(columns, templates);
}

/** A column and its target, which can be read-only. */
type Column = { readonly name: string; readonly target: ColumnTarget | undefined };

/** Returns what parsing needs to know of columns. */
export function columnsOf(columns: readonly Column[], templates: readonly ColumnTemplate[]): Columns {
  const named = columns.filter(({ name, target }) => target && columnKey(name) !== columnKey(target.name));
  const readOnly = columns.filter(({ target }) => target && !isWritable(target));
  return {
    targets: columns.map(({ target }) => (target && isWritable(target) ? target : undefined)),
    columnNames: new Map(named.map(({ name, target }) => [target?.name ?? "", name.trim()])),
    readOnlyNames: readOnly.map(({ name }) => name.trim()),
    templates,
    archivedAt: columns.findIndex(({ target }) => target?.name === "archivedAt"),
    text: textIndexOf(columns.map(({ name }) => name)),
  };
}

/** Returns the targets that need a column and have none: that of `upsertBy`, or those that a new record requires. */
export function missingTargets<T extends ColumnTarget>(
  targets: readonly T[],
  names: readonly (string | undefined)[],
  upsertBy: string | undefined,
): readonly T[] {
  const isNeeded = ({ name, required }: T): boolean => (upsertBy ? name === upsertBy : required === true);
  return targets.filter((target) => isNeeded(target) && !names.includes(target.name));
}

/** Returns the index of `_text`, or -1. */
export function textIndexOf(header: readonly string[]): number {
  return header.findIndex((name) => name.trim() === textColumn);
}

function quoteName(name: string): string {
  return `"${name.trim().slice(0, maxNameLength)}"`;
}

function isReject(name: string): boolean {
  return rejectColumns.includes(name.trim());
}

function findColumn(header: readonly string[], column: string): number {
  const exact = header.findIndex((name) => name.trim() === column.trim());
  return exact >= 0 ? exact : header.findIndex((name) => columnKey(name) === columnKey(column));
}

function repeatedColumns(header: readonly string[]): string[] {
  const seen = new Set<string>();
  const repeated = header.filter((name) => {
    const isKnown = seen.has(columnKey(name));
    seen.add(columnKey(name));
    return isKnown && name.trim() !== "";
  });
  const messages = repeated.slice(0, maxNamed).map((name) => `The header has the column ${quoteName(name)} twice.`);
  const more = repeated.length - messages.length;
  return more > 0 ? [...messages, `${more} more columns are repeated.`] : messages;
}

function conflictingColumns(columns: readonly Column[]): string[] {
  const mapped = columns.filter(({ target }) => target && isWritable(target));
  return [...Map.groupBy(mapped, ({ target }) => target?.name).values()]
    .filter((group) => group.length > 1 && new Set(group.map(({ name }) => columnKey(name))).size > 1)
    .map((group) => {
      const names = group.map(({ name }) => `"${name.trim()}"`).join(" and ");
      return `The columns ${names} map to the same field ${group[0]?.target?.name}.`;
    });
}

function unknownColumnsMessage(
  unknown: readonly string[],
  targets: readonly ColumnTarget[],
  guesses: readonly (ColumnTarget | undefined)[] = [],
): string {
  const names = targets.filter(isWritable).map(({ name }) => name);
  const list = unknown.slice(0, maxNamed).map((name, index) => {
    if (name.trim() === "") return "(no name)";
    return `${quoteName(name)}${guesses[index] === undefined ? suggestName(name, names) : ""}`;
  });
  const more = unknown.length > list.length ? ` and ${unknown.length - list.length} more` : "";
  const maps = mapsOf(unknown, guesses);
  const guess = maps.length === 0 ? "" : `Guessed: ${maps.map((map) => `--map ${quoteShell(map)}`).join(" ")}. `;
  return (
    `Unknown column${unknown.length > 1 ? "s" : ""} ${list.join(", ")}${more}. Map each with --map FIELD=COLUMN or skip ` +
    `them with --ignore-columns. ${guess}Fields: ${names.join(", ")}.`
  );
}

/** Returns the values of --map for guesses. Several columns of a field are a template. */
function mapsOf(header: readonly string[], guesses: readonly (ColumnTarget | undefined)[]): readonly string[] {
  return [...new Set(guesses.filter((target) => target !== undefined))].map((target) => {
    const indexes = guesses.flatMap((each, index) => (each === target ? [index] : []));
    const columns = sortParts(header, indexes).map((index) => (header[index] ?? "").trim());
    return `${target.name}=${columns.length === 1 ? columns[0] : columns.map((name) => `{${name}}`).join(" ")}`;
  });
}

function quoteShell(text: string): string {
  return /^[\w.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
