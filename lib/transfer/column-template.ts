import { type ColumnTarget, isWritable } from "./column-target.ts";
import { MappingError } from "./raw-row.ts";
import { columnKey, suggestName } from "./suggest-name.ts";
import { createTargetFinder } from "./target-finder.ts";

/** A value of several columns, from `--map 'name={First name} {Last name}'`. */
export type ColumnTemplate = {
  readonly target: ColumnTarget;
  readonly text: string;
  /** Column indexes by the name in braces. */
  readonly columns: ReadonlyMap<string, number>;
};

const placeholder = /\{([^{}]+)\}/g;

/** Returns whether a value of --map is a template. */
export function isTemplate(map: string): boolean {
  return map.slice(map.indexOf("=") + 1).search(placeholder) >= 0;
}

/** Parses the values of --map that are templates. `header` is undefined for NDJSON. @throws MappingError */
export function parseTemplates(
  maps: readonly string[],
  targets: readonly ColumnTarget[],
  header: readonly string[] | undefined,
): readonly ColumnTemplate[] {
  const find = createTargetFinder(targets);
  return maps.filter(isTemplate).map((map) => {
    if (header === undefined) throw new MappingError(`--map ${map}: a template requires a CSV file.`);
    const text = map.slice(map.indexOf("=") + 1);
    const target = find(map.slice(0, map.indexOf("=")));
    if (target === undefined || !isWritable(target))
      throw new MappingError(`--map ${map}: unknown or read-only field. Use FIELD={COLUMN} {COLUMN}.`);
    const names = [...text.matchAll(placeholder)].map(([, name = ""]) => name);
    const columns = names.map((name): [string, number] => {
      const index = header.findIndex((each) => columnKey(each) === columnKey(name));
      if (index >= 0) return [name, index];
      throw new MappingError(`--map ${map}: the file doesn't have the column "${name}"${suggestName(name, header)}.`);
    });
    return { target, text, columns: new Map(columns) };
  });
}

/** Returns the text of a template for a row, or an empty text if all its cells are empty. */
export function renderTemplate({ text, columns }: ColumnTemplate, cells: readonly string[]): string {
  const cellOf = (name: string): string => (cells[columns.get(name) ?? -1] ?? "").trim();
  if ([...columns.keys()].every((name) => cellOf(name) === "")) return "";
  return text
    .replace(placeholder, (_, name: string) => cellOf(name))
    .replace(/ {2,}/g, " ")
    .trim();
}
