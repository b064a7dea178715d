import { UsageError } from "../cli/errors.ts";
import { findColumn, requireTarget } from "./columns.ts";
import { suggestName } from "./suggest-name.ts";
import type { Target } from "./target.ts";

/** A field that several columns fill: `name={First name} {Last name}`. */
export type Template = {
  readonly target: Target;
  readonly text: string;
  /** Index of each column in the header, by the name in braces. */
  readonly columns: ReadonlyMap<string, number>;
};

const placeholder = /\{([^{}]+)\}/g;

/** Returns whether a value of --map is a template. */
export function isTemplate(map: string): boolean {
  return /=.*\{[^{}]+\}/s.test(map);
}

/** Parses the templates of --map. @throws UsageError with all errors */
export function parseTemplates(
  maps: readonly string[],
  header: readonly string[] | undefined,
  targets: readonly Target[],
): readonly Template[] {
  const found = maps.filter(isTemplate);
  if (found.length > 0 && header === undefined)
    throw new UsageError("--map with {COLUMN} is for CSV. NDJSON has the values of the API.");
  const errors: string[] = [];
  const templates = found.map((map): Template => {
    const [name = "", text = ""] = [map.slice(0, map.indexOf("=")), map.slice(map.indexOf("=") + 1)];
    const target = requireTarget(name, `--map ${map}`, targets);
    const names = [...text.matchAll(placeholder)].map(([, column = ""]) => column);
    const columns = new Map(names.map((column) => [column, findColumn(header ?? [], column)]));
    for (const [column, index] of columns) {
      if (index >= 0) continue;
      errors.push(`The file doesn't have the column "${column}" of --map ${map}${suggestName(column, header ?? [])}.`);
    }
    return { target, text, columns };
  });
  if (errors.length > 0) throw new UsageError(errors.join("\n  "));
  return templates;
}

/** Fills the template of a row. An empty column leaves no double space. */
export function fillTemplate({ text, columns }: Template, cells: readonly string[]): string {
  const filled = text.replace(placeholder, (_, column: string) => (cells[columns.get(column) ?? -1] ?? "").trim());
  const isEmpty = [...columns.values()].every((index) => (cells[index] ?? "").trim() === "");
  return isEmpty ? "" : filled.replace(/ {2,}/g, " ").trim();
}
