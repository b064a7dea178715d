import type { ColumnTarget } from "./column-target.ts";
import { columnKey } from "./suggest-name.ts";

/** Finds the target of a name. Returns undefined if none or several match. */
export type TargetFinder = (name: string) => ColumnTarget | undefined;

/** Creates a finder. Exact names win over normalized names, and these over unique aliases. */
export function createTargetFinder(targets: readonly ColumnTarget[]): TargetFinder {
  const names = Map.groupBy(targets, ({ name }) => columnKey(name));
  const aliases = Map.groupBy(targets, ({ alias }) => alias && columnKey(alias));
  return (name) => {
    const trimmed = name.trim();
    const exact = targets.find((target) => target.name === trimmed);
    if (exact !== undefined) return exact;
    const found = names.get(columnKey(name)) ?? aliases.get(columnKey(name)) ?? [];
    return found.length === 1 ? found[0] : undefined;
  };
}
