import { finderOf } from "./columns.ts";
import type { Keys } from "./row-values.ts";
import { plain } from "./suggest-name.ts";
import type { Target } from "./target.ts";

/** How the keys of NDJSON are understood: as columns are. It remembers which of those that are mapped have not come. */
export class MappedKeys implements Keys {
  readonly objects: readonly string[];
  readonly ignoreColumns: boolean;
  readonly #find: Keys["find"];
  readonly #mapped: ReadonlyMap<string, Target>;
  readonly #unseen: Map<string, string>;

  constructor(targets: readonly Target[], mapping: ReadonlyMap<string, Target>, ignoreColumns: boolean) {
    this.objects = [...new Set(targets.flatMap(({ field, member }) => (member === undefined ? [] : [field])))];
    this.ignoreColumns = ignoreColumns;
    this.#find = finderOf(targets);
    this.#mapped = new Map([...mapping].map(([column, target]) => [plain(column), target]));
    this.#unseen = new Map([...mapping].map(([column]) => [plain(column), column]));
  }

  readonly find = (name: string): Target | undefined => {
    const mapped = this.#mapped.get(plain(name));
    if (mapped !== undefined) this.#unseen.delete(plain(name));
    if (mapped !== undefined) return mapped;
    const target = this.#find(name);
    const isMapped = this.#mapped.size > 0 && [...this.#mapped.values()].some((each) => each === target);
    // A field that is mapped to has its key; another one that is called so is in the way unless it may be left out.
    return this.ignoreColumns && isMapped ? undefined : target;
  };

  get missing(): readonly string[] {
    return [...this.#unseen.values()];
  }
}
