import type { ColumnTarget } from "./column-target.ts";
import { columnKey } from "./suggest-name.ts";

/** Finds the target of a name. Returns undefined if none or several match. */
export type TargetFinder = (name: string) => ColumnTarget | undefined;

/** Creates a finder. Exact names win over normalized names, and these over unique aliases. */
export function createTargetFinder(targets: readonly ColumnTarget[]): TargetFinder {
  const names = groupByName(targets, ({ name }) => name);
  const aliases = groupByName(targets, ({ alias }) => alias);
  return (name) => {
    const trimmed = name.trim();
    const exact = targets.find((target) => target.name === trimmed);
    if (exact !== undefined) return exact;
    const found = names.get(columnKey(name)) ?? aliases.get(columnKey(name)) ?? [];
    return found.length === 1 ? found[0] : undefined;
  };
}

/** Groups values by their normalized names. */
export function groupByName<T>(values: readonly T[], nameOf: (value: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    if (name === undefined) continue;
    const group = groups.get(columnKey(name));
    if (group === undefined) groups.set(columnKey(name), [value]);
    else group.push(value);
  }
  return groups;
}
