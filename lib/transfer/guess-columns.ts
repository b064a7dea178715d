import { normalizeCase } from "../model/normalize.ts";
import { keysOf, nameParts, streetPart, synonymKey, synonymsOf } from "./column-synonyms.ts";
import { type ColumnTarget, isWritable } from "./column-target.ts";
import type { Entity } from "./entities.ts";
import { rejectColumns } from "./raw-row.ts";
import { createTargetFinder } from "./target-finder.ts";

export type GuessOptions = {
  readonly entity: Entity;
  /** The cells of rows. Columns whose names say nothing are guessed from all their values. */
  readonly rows?: readonly (readonly string[])[];
};

/** The share of the values that must have a form. The others can be wrong. */
const minShare = 0.9;

/**
 * Guesses the targets of columns by their names, then by their values. A target has several columns if their values
 * belong together, such as a first and a last name. Undefined for columns without a guess.
 */
export function guessColumns<T extends ColumnTarget>(
  header: readonly string[],
  targets: readonly T[],
  { entity, rows = [] }: GuessOptions,
): readonly (T | undefined)[] {
  const writable = targets.filter(isWritable);
  const guesses = new Map<number, T>();
  const isFree = (target: T): boolean => ![...guesses.values()].includes(target);
  const keys = header.map(synonymKey);
  const find = createTargetFinder(targets);
  for (const [index, name] of header.entries()) {
    const found = find(name);
    const target = writable.find((each) => each.name === found?.name);
    if (target !== undefined && isFree(target)) guesses.set(index, target);
    // "Created at" of an export has no target, and isn't the time of a note either.
    else if (found !== undefined || rejectColumns.includes(name.trim())) keys[index] = "";
  }
  const columns = Map.groupBy(keys.keys(), (index) => keys[index] ?? "");
  columns.delete("");
  for (const target of writable.filter(isFree)) {
    const names = [synonymKey(target.label ?? ""), ...synonymsOf(entity, target)];
    const index = names.flatMap((name) => columns.get(name) ?? []).find((each) => !guesses.has(each));
    if (index !== undefined) guesses.set(index, target);
  }
  joinParts(guesses, writable, columns);
  for (const [index] of header.entries()) {
    if (guesses.has(index)) continue;
    const target = targetOfValues(
      rows.map((cells) => (cells[index] ?? "").trim()).filter((cell) => cell !== ""),
      writable.filter(isFree),
    );
    if (target !== undefined) guesses.set(index, target);
  }
  return header.map((_, index) => guesses.get(index));
}

/**
 * Adds the columns whose values are parts of a name or of a street. `columns` has the indexes of columns by their keys.
 */
function joinParts<T extends ColumnTarget>(
  guesses: Map<number, T>,
  targets: readonly T[],
  columns: ReadonlyMap<string, readonly number[]>,
): void {
  const columnOf = (names: string): number => keysOf(names).flatMap((key) => columns.get(key) ?? [])[0] ?? -1;
  const indexOf = (name: string): number => [...guesses].find(([, target]) => target.name === name)?.[0] ?? -1;
  const set = (name: string, indexes: readonly number[]): void => {
    const target = targets.find((each) => each.name === name);
    for (const index of indexes) if (target !== undefined) guesses.set(index, target);
  };
  const [first = -1, last = -1] = nameParts.map(columnOf);
  const name = indexOf("name");
  const unused = [first, last].filter((index) => index >= 0 && !guesses.has(index));
  if (name < 0) set("name", unused);
  // In "Vorname;Name", the name is the last name.
  else if (last < 0 && columnOf("name") === name) set("name", unused);
  const houseNumber = columnOf(streetPart);
  if (indexOf("address.street") >= 0 && houseNumber >= 0) set("address.street", [houseNumber]);
}

/** Returns the order of a column among the columns that fill one field: first name, other columns, house number. */
function partRank(name: string): number {
  const key = synonymKey(name);
  const [first = ""] = nameParts;
  return keysOf(first).includes(key) ? 0 : keysOf(streetPart).includes(key) ? 2 : 1;
}

/** Returns the columns that fill one field in the order in which their values are joined. */
export function sortParts(header: readonly string[], indexes: readonly number[]): readonly number[] {
  return indexes.toSorted((a, b) => partRank(header[a] ?? "") - partRank(header[b] ?? "") || a - b);
}

const forms: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@;,]+@[^\s@;,]+\.[^\s@;,]+$/,
  website: /^(https?:\/\/|www\.)\S+$/i,
  // A phone number has a prefix with + or is divided. A customer number isn't.
  phone: /^(\+|\(?0)(?=(.*\d){6})[\d\s()/-]*[\s()/+-][\d\s()/-]*$|^\+\d{7,15}$/,
};

/** Returns the only target to which nearly all values of a column fit. */
function targetOfValues<T extends ColumnTarget>(values: readonly string[], targets: readonly T[]): T | undefined {
  if (values.length === 0) return undefined;
  const isMostly = (matches: (value: string) => boolean): boolean =>
    values.filter(matches).length >= values.length * minShare;
  const fitting = targets.filter(({ field, member, valueType, options = [] }) => {
    const form = member === undefined && valueType !== "reference" ? forms[field] : undefined;
    if (form !== undefined) return isMostly((value) => form.test(value));
    const words = new Set(options.map(normalizeCase));
    return words.size > 0 && isMostly((value) => words.has(normalizeCase(value)));
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}
