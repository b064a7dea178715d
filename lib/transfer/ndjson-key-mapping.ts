import type { ColumnTarget } from "./column-target.ts";
import type { KeyMapping } from "./row-values.ts";
import { columnKey } from "./suggest-name.ts";
import { createTargetFinder } from "./target-finder.ts";

/** Maps the keys of NDJSON rows like columns. `missing` returns the mapped keys that no row has had. */
export function createKeyMapping(
  targets: readonly ColumnTarget[],
  mapping: ReadonlyMap<string, ColumnTarget>,
  ignoreColumns: boolean,
): KeyMapping & { missing(): readonly string[] } {
  const findTarget = createTargetFinder(targets);
  const mapped = new Map([...mapping].map(([column, target]) => [columnKey(column), target]));
  const unseen = new Map([...mapping.keys()].map((column) => [columnKey(column), column]));
  return {
    objects: [...new Set(targets.flatMap(({ field, member }) => (member === undefined ? [] : [field])))],
    ignoreColumns,
    find(name) {
      const key = columnKey(name);
      unseen.delete(key);
      const target = mapped.get(key) ?? findTarget(name);
      const isUnmapped = mapped.size > 0 && !mapped.has(key) && [...mapped.values()].some((each) => each === target);
      // Two keys for one field are an error, unless --ignore-columns allows ignoring the unmapped one.
      return ignoreColumns && isUnmapped ? undefined : target;
    },
    missing: () => [...unseen.values()],
  };
}
