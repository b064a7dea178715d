import type { ColumnTarget } from "./column-target.ts";
import type { KeyMapping } from "./row-values.ts";
import { columnKey } from "./suggest-name.ts";
import { createTargetFinder } from "./target-finder.ts";

/** Maps the keys of NDJSON rows like columns, and lists the mapped keys that no row had. */
export class NdjsonKeyMapping implements KeyMapping {
  readonly objects: readonly string[];
  readonly ignoreColumns: boolean;
  readonly #find: KeyMapping["find"];
  readonly #mapped: ReadonlyMap<string, ColumnTarget>;
  readonly #unseen: Map<string, string>;

  constructor(targets: readonly ColumnTarget[], mapping: ReadonlyMap<string, ColumnTarget>, ignoreColumns: boolean) {
    this.objects = [...new Set(targets.flatMap(({ field, member }) => (member === undefined ? [] : [field])))];
    this.ignoreColumns = ignoreColumns;
    this.#find = createTargetFinder(targets);
    this.#mapped = new Map([...mapping].map(([column, target]) => [columnKey(column), target]));
    this.#unseen = new Map([...mapping].map(([column]) => [columnKey(column), column]));
  }

  readonly find = (name: string): ColumnTarget | undefined => {
    const mapped = this.#mapped.get(columnKey(name));
    if (mapped !== undefined) this.#unseen.delete(columnKey(name));
    if (mapped !== undefined) return mapped;
    const target = this.#find(name);
    const isMapped = this.#mapped.size > 0 && [...this.#mapped.values()].some((each) => each === target);
    // Two keys for one field are an error, unless --ignore-columns allows ignoring the unmapped one.
    return this.ignoreColumns && isMapped ? undefined : target;
  };

  get missing(): readonly string[] {
    return [...this.#unseen.values()];
  }
}
