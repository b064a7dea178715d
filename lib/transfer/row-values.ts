import { exactNumberLimits, inexactNumberMessage } from "../model/exact-number.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import { parseCell, unescapeFormula } from "./cell.ts";
import type { Columns } from "./column-mapping.ts";
import { type ColumnTarget, isWritable, memberOf } from "./column-target.ts";
import { renderTemplate } from "./column-template.ts";
import type { LocaleFormat } from "./locale-format.ts";
import { type RawRow, rejectColumns, textColumn } from "./raw-row.ts";
import type { RowError } from "./row-errors.ts";
import { columnKey } from "./suggest-name.ts";
import type { TargetFinder } from "./target-finder.ts";

/** A value for a target. Undefined if the cell is empty. */
export type TargetValue = {
  readonly target: ColumnTarget;
  readonly value: unknown;
  /** The cell of a date or a number, which can have another form than the value. */
  readonly cell?: string;
};

/** The values of a row, and the errors of its format. */
export type RowValues = { readonly pairs: readonly TargetValue[]; readonly errors: readonly RowError[] };

/** Parses a CSV row. */
export function csvRowValues(
  { raw }: RawRow,
  { targets, archivedAt, text, templates }: Columns,
  isForSpreadsheet: boolean,
  locale: LocaleFormat,
): RowValues {
  const cells = raw as readonly string[];
  if (cells.length !== targets.length) return { pairs: [], errors: [cellCountError(cells, targets.length)] };
  if (isFilled(cells[text])) return { pairs: [], errors: [unsplitError] };
  const pairs: TargetValue[] = [];
  for (const [index, target] of targets.entries()) {
    const text = isForSpreadsheet ? unescapeFormula(cells[index] ?? "") : (cells[index] ?? "");
    const cell = locale.trim ? text.trim() : text;
    if (target !== undefined) pairs.push(toPair(target, cell, locale));
  }
  for (const template of templates) pairs.push(toPair(template.target, renderTemplate(template, cells), locale));
  return addRelationType({ pairs, errors: [...inexactErrors(pairs), ...archivedErrors(cells[archivedAt])] });
}

function toPair(target: ColumnTarget, cell: string, locale: LocaleFormat): TargetValue {
  if (cell === "") return { target, value: undefined };
  const hasForms = target.isDate || target.valueType === "number" || target.valueType === "currency";
  return { target, value: parseCell(target, cell, locale), ...(hasForms && { cell }) };
}

/** The mapping of NDJSON keys. */
export type KeyMapping = {
  readonly find: TargetFinder;
  /** Names of object fields. */
  readonly objects: readonly string[];
  readonly ignoreColumns: boolean;
};

/** A pair with its key in the row. */
type KeyedValue = TargetValue & { readonly key: string };

function jsonError({ problem, details: { key, column } }: JsonParseError): RowError {
  const message = `The line ${problem.replace("at line 1, column", "at column")}`;
  return { code: "invalid_json", message, details: { key, column } };
}

/** Parses the object of a line, or returns why it isn't one. Repeated keys are an error, as in the API. */
export function parseLine(text: string): Readonly<Record<string, unknown>> | JsonParseError {
  try {
    return parseJsonObject(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    return error;
  }
}

/** Parses an NDJSON row. Unknown keys are passed on, because the API reports them with a suggestion. */
export function jsonRowValues({ raw }: RawRow, keys: KeyMapping): RowValues {
  const object = parseLine(raw as string);
  if (object instanceof JsonParseError) return { pairs: [], errors: [jsonError(object)] };
  if (isFilled(object[textColumn])) return { pairs: [], errors: [unsplitError] };
  const entries = Object.entries(object).filter(([key]) => !rejectColumns.includes(key));
  const pairs = entries.flatMap(([key, value]) => mapEntry(key, value, keys));
  const errors = [...duplicateKeyErrors(pairs), ...inexactErrors(pairs), ...archivedErrors(object.archivedAt)];
  return addRelationType({ pairs, errors });
}

/** New values by target name and value. An empty text leaves the field out. */
export type ValueMap = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Replaces values such as "klein" by others, also in lists. */
export function mapValues({ pairs, errors }: RowValues, map: ValueMap): RowValues {
  const mapped = pairs.map((pair) => {
    const { target, value } = pair;
    const texts = Object.hasOwn(map, target.name) ? map[target.name] : undefined;
    if (texts === undefined) return pair;
    const replace = (each: unknown): unknown =>
      typeof each === "string" && Object.hasOwn(texts, each.trim()) ? texts[each.trim()] || undefined : each;
    if (!Array.isArray(value)) return { target, value: replace(value) };
    const entries = value.map(replace).filter((each) => each !== undefined);
    return { target, value: entries.length === 0 ? undefined : [...new Set(entries)] };
  });
  return { pairs: mapped, errors };
}

const relationType = memberOf("relatedTo", "type", "keyword");

/** Adds the kind of the related record if a column such as `contact.email` names it. */
function addRelationType({ pairs, errors }: RowValues): RowValues {
  const filled = pairs.filter(({ target, value }) => target.field === relationType.field && value !== undefined);
  const [implied] = filled.flatMap(({ target }) => (target.isImportOnly ? (target.kind ?? []) : []));
  if (implied === undefined) return { pairs, errors };
  const names = filled.flatMap(({ target }) => (target.member === "id" ? [target.name] : []));
  if (names.length > 1) {
    const message = `Only one of ${names.join(", ")} can have a value.`;
    return { pairs, errors: [...errors, { code: "several_relations", message, details: { names } }] };
  }
  const hasType = filled.some(({ target }) => target.member === relationType.member);
  return { pairs: hasType ? pairs : [...pairs, { target: relationType, value: implied }], errors };
}

function mapEntry(key: string, value: unknown, { find, objects, ignoreColumns }: KeyMapping): readonly KeyedValue[] {
  const field = objects.find((each) => columnKey(each) === columnKey(key));
  // A value that isn't an object is sent for the whole field: null clears it, and the API rejects other values.
  if (field !== undefined && !isObject(value)) return [{ key, target: unknownTarget(field, undefined), value }];
  const entries = field === undefined ? [[key, value] as const] : Object.entries(value as object);
  return entries.flatMap(([member, each]) => {
    const name = field === undefined ? member : `${field}.${member}`;
    const target = find(name) ?? (ignoreColumns ? undefined : unknownTarget(name, field));
    return target === undefined || !isWritable(target) ? [] : [{ key: name, target, value: each }];
  });
}

/** Returns errors for keys with the same target, or with a field and one of its members. */
function duplicateKeyErrors(pairs: readonly KeyedValue[]): readonly RowError[] {
  const seen = new Map<string, string>();
  return pairs.flatMap(({ key, target: { name, field, member } }) => {
    const anyMember = `${field}.`;
    const other = seen.get(name) ?? seen.get(member === undefined ? anyMember : field);
    seen.set(name, key);
    if (member !== undefined) seen.set(anyMember, key);
    if (other === undefined) return [];
    const keys = [other, key].map((each) => each.slice(0, 60));
    const message = `The keys "${keys.join('" and "')}" map to the same field ${name.slice(0, 60)}.`;
    return [{ code: "repeated_key", message, details: { keys } }];
  });
}

/** Returns an error for each number that a double can't hold exactly. JSON would make it `null`, which clears a field. */
function inexactErrors(pairs: readonly TargetValue[]): readonly RowError[] {
  const isInexact = (value: unknown): boolean =>
    typeof value === "object" && value !== null
      ? Object.values(value).some(isInexact)
      : value === Number.POSITIVE_INFINITY;
  return pairs
    .filter(({ value }) => isInexact(value))
    .map(({ target: { name } }) => ({
      ...{ code: "out_of_range", target: name, message: `${name} ${inexactNumberMessage}.` },
      details: { limits: exactNumberLimits },
    }));
}

const unsplitError: RowError = {
  code: "unsplit",
  message: `The original row is in ${textColumn}. Move its values to the other columns and clear ${textColumn}.`,
};

function isFilled(text: unknown): boolean {
  return text !== undefined && text !== null && String(text).trim() !== "";
}

function unknownTarget(name: string, field: string | undefined): ColumnTarget {
  const target = { name, field: field ?? name, valueType: "text", nullable: true } as const;
  return field === undefined ? target : { ...target, member: name.slice(field.length + 1) };
}

function cellCountError(cells: readonly string[], expected: number): RowError {
  const extra = cells.slice(expected).map((cell) => `"${cell.slice(0, 60)}"`);
  const extraText = extra.length > 0 ? ` Extra cells: ${extra.slice(0, 5).join(", ")}.` : "";
  const message = `The row has ${cells.length} cells, but the header has ${expected}.${extraText}`;
  return { code: "cell_count", message, details: { cells: cells.length, expected } };
}

function archivedErrors(archivedAt: unknown): readonly RowError[] {
  if (archivedAt === undefined || archivedAt === null || archivedAt === "") return [];
  const message =
    "Archived records can't be imported. Remove the row, or clear archivedAt to import the record as active.";
  return [{ code: "archived", message }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
