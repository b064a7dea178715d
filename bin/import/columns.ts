import { UsageError } from "../cli/errors.ts";
import { plain, suggestName } from "./suggest-name.ts";
import type { Target } from "./target.ts";

/** Columns that a file of rejected rows has beside those of its source; `_text` has a row that could not be taken apart. */
export const textColumn = "_text";
export const rejectColumns = ["_line", "_errors", textColumn];

/** The maximum number of columns that one message names: a file can have half a million. */
const maxNamed = 20;
const maxNameLength = 60;

/** Finds what a name stands for; undefined where nothing, or several things, are called so. */
export type Finder = (name: string) => Target | undefined;

export type Columns = {
  /** What each column leads to; undefined where it is left out. */
  readonly targets: readonly (Target | undefined)[];
  /** The column that leads to a field, where it is not called as the field is. */
  readonly called: ReadonlyMap<string, string>;
  /** Columns of values that only the service sets. */
  readonly shownOnly: readonly string[];
  /** Where archivedAt stands, as in some exports; -1 where it does not. */
  readonly archivedAt: number;
  /** Where a file of rejected rows has those that could not be taken apart; -1 where it is no such file. */
  readonly text: number;
};

/** A full name goes before an alias, and an alias counts where only one thing has it. */
export function finderOf(targets: readonly Target[]): Finder {
  const names = grouped(targets, ({ name }) => name);
  const aliases = grouped(targets, ({ alias }) => alias);
  return (name) => {
    const trimmed = name.trim();
    const spelled = targets.find((target) => target.name === trimmed);
    if (spelled !== undefined) return spelled;
    const found = names.get(plain(name)) ?? aliases.get(plain(name)) ?? [];
    return found.length === 1 ? found[0] : undefined;
  };
}

/** `--map field=Column` as pairs. @throws UsageError */
export function mappingOf(maps: readonly string[], targets: readonly Target[]): ReadonlyMap<string, Target> {
  const find = finderOf(targets);
  const pairs = maps.map((text): [string, Target] => {
    const [, name = "", column = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (name === "") throw new UsageError(`--map ${text} must be FIELD=COLUMN, such as --map name=Company.`);
    const target = find(name);
    const writable = targets.filter(({ form }) => form !== "service").map((each) => each.name);
    if (target === undefined) {
      throw new UsageError(
        `--map ${text}: there is no field "${name}"${suggestName(name, writable)}. There are: ${writable.join(", ")}.`,
      );
    }
    if (target.form === "service") throw new UsageError(`--map ${text}: ${target.name} is set by the service.`);
    return [column, target];
  });
  for (const [column, target] of pairs) assertNoDataFolderTarget(column, target, pairs);
  return new Map(pairs);
}

/** @throws UsageError where the column is led to another field as well */
function assertNoDataFolderTarget(column: string, target: Target, pairs: readonly (readonly [string, Target])[]): void {
  const other = pairs.find(([name, each]) => plain(name) === plain(column) && each !== target);
  if (other === undefined) return;
  throw new UsageError(
    `--map leads the column "${column}" to ${target.name} and to ${other[1].name}. A column leads to one field: give the other one a column of its own.`,
  );
}

/**
 * What the columns of a head lead to. Everything that is wrong with it is told at once.
 * @throws UsageError
 */
export function columnsOf(
  head: readonly string[],
  targets: readonly Target[],
  { mapping, ignoreColumns }: { readonly mapping: ReadonlyMap<string, Target>; readonly ignoreColumns: boolean },
): Columns {
  const find = finderOf(targets);
  const mapped = [...mapping].map(([column, target]) => ({ column, target, index: indexOf(head, column) }));
  const wrong = mapped.flatMap(({ column, index }) => {
    return index >= 0
      ? []
      : [`--map names a column "${column}" that the file does not have${suggestName(column, head)}.`];
  });
  const columns = head.map((name, index) => {
    const natural = isReject(name) ? undefined : find(name);
    // A field that is mapped to has its column; another one that is called so is in the way unless it may be left out.
    const spare = ignoreColumns && mapped.some(({ target }) => target === natural) ? undefined : natural;
    const target = mapped.find((each) => each.index === index)?.target ?? spare;
    return { name, target, known: target !== undefined || isReject(name) };
  });
  wrong.push(...twice(head), ...sameTarget(columns));
  const unknown = columns.filter(({ known }) => !known).map(({ name }) => name);
  if (unknown.length > 0 && !ignoreColumns) wrong.push(unknownColumns(unknown, targets));
  if (wrong.length > 0) throw new UsageError(wrong.join("\n  "));
  const named = columns.filter(({ name, target }) => target !== undefined && plain(name) !== plain(target.name));
  return {
    targets: columns.map(({ target }) => (target?.form === "service" ? undefined : target)),
    called: new Map(named.map(({ name, target }) => [target?.name ?? "", name.trim()])),
    archivedAt: columns.findIndex(({ target }) => target?.name === "archivedAt"),
    text: textIndexOf(head),
    shownOnly: columns.filter(({ target }) => target?.form === "service").map(({ name }) => name.trim()),
  };
}

/** Where a file of rejected rows has what could not be taken apart. */
export function textIndexOf(head: readonly string[]): number {
  return head.findIndex((name) => name.trim() === textColumn);
}

function quoted(name: string): string {
  return `"${name.trim().slice(0, maxNameLength)}"`;
}

function isReject(name: string): boolean {
  return rejectColumns.includes(name.trim());
}

function indexOf(head: readonly string[], column: string): number {
  const exact = head.findIndex((name) => name.trim() === column.trim());
  return exact >= 0 ? exact : head.findIndex((name) => plain(name) === plain(column));
}

function twice(head: readonly string[]): string[] {
  const seen = new Set<string>();
  const again = head.filter((name) => {
    const isKnown = seen.has(plain(name));
    seen.add(plain(name));
    return isKnown && name.trim() !== "";
  });
  const shown = again.slice(0, maxNamed).map((name) => `The head has the column ${quoted(name)} twice.`);
  const more = again.length - shown.length;
  return more > 0 ? [...shown, `${more} more columns are repeated.`] : shown;
}

function sameTarget(columns: readonly { name: string; target: Target | undefined }[]): string[] {
  const led = columns.filter(({ target }) => target !== undefined && target.form !== "service");
  return [...grouped(led, ({ target }) => target?.name).values()]
    .filter((group) => group.length > 1 && new Set(group.map(({ name }) => plain(name))).size > 1)
    .map((group) => {
      const names = group.map(({ name }) => `"${name.trim()}"`).join(" and ");
      return `The columns ${names} both lead to ${group[0]?.target?.name}.`;
    });
}

function unknownColumns(unknown: readonly string[], targets: readonly Target[]): string {
  const names = targets.filter(({ form }) => form !== "service").map(({ name }) => name);
  const list = unknown
    .slice(0, maxNamed)
    .map((name) => (name.trim() === "" ? "one without a name" : `${quoted(name)}${suggestName(name, names)}`));
  const more = unknown.length > list.length ? ` and ${unknown.length - list.length} more` : "";
  return (
    `There is no field for the column${unknown.length > 1 ? "s" : ""} ${list.join(", ")}${more}. Lead it to a field with ` +
    `--map FIELD=COLUMN, or leave it out with --ignore-columns. Fields: ${names.join(", ")}.`
  );
}

function grouped<T>(values: readonly T[], nameOf: (value: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    if (name === undefined) continue;
    const group = groups.get(plain(name));
    if (group === undefined) groups.set(plain(name), [value]);
    else group.push(value);
  }
  return groups;
}
