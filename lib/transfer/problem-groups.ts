import { didYouMean } from "../model/suggest.ts";
import type { RowProblem } from "./import-types.ts";
import type { RowError } from "./row-errors.ts";

/** Errors with the same cause. */
export type ProblemGroup = {
  readonly code: string;
  /** The name of the target, if the errors are about cells. */
  readonly target?: string;
  /** The cause, without the values of one row. */
  readonly message: string;
  /** Those of the first error. */
  readonly details?: RowError["details"];
  readonly count: number;
  /** The values that are wrong, the most frequent first. */
  readonly values: readonly { readonly text: string; readonly count: number }[];
  /** The first errors and their rows. */
  readonly examples: readonly Example[];
};

type Example = { readonly error: RowError; readonly problem: RowProblem };

/** Bounds the memory: every cell of a column can be wrong in its own way. */
const maxGroups = 500;
const maxExamples = 2;

type Group = {
  readonly error: RowError;
  readonly message: string;
  count: number;
  readonly values: Map<string, number>;
  readonly examples: Example[];
};

/** Groups the errors of rows by their causes. */
export class ProblemGroups {
  readonly #groups = new Map<string, Group>();
  /** The number of errors in no group, because there are too many groups. */
  omitted = 0;
  readonly #maxValues: number;

  /** `maxValues` is the most values per group. */
  constructor(maxValues = 500) {
    this.#maxValues = maxValues;
  }

  add(problem: RowProblem): void {
    for (const error of problem.errors) {
      const suggestion = didYouMean(error.details?.suggestion as string | undefined);
      const message = (error.reason ?? error.message).replace(suggestion, "");
      const key = error.target === undefined || error.reason !== undefined ? message : `${error.code} ${error.target}`;
      const group: Group = this.#groups.get(key) ?? { error, message, count: 0, values: new Map(), examples: [] };
      if (group.count === 0 && this.#groups.size >= maxGroups) this.omitted += 1;
      else this.#groups.set(key, group);
      group.count += 1;
      if (group.count <= maxExamples) group.examples.push({ error, problem });
      for (const text of wrongValues(error, problem)) {
        const count = group.values.get(text) ?? 0;
        if (count > 0 || group.values.size < this.#maxValues) group.values.set(text, count + 1);
      }
    }
  }

  /** Returns the groups, the most frequent first. */
  list(): readonly ProblemGroup[] {
    const groups = [...this.#groups.values()].map(({ error: { code, target, details }, values, ...group }) => ({
      ...{ ...group, code, ...(target === undefined ? {} : { target }), ...(details && { details }) },
      values: [...values].map(([text, count]) => ({ text, count })).toSorted((a, b) => b.count - a.count),
    }));
    return groups.toSorted((a, b) => b.count - a.count);
  }
}

/** Returns the filled values of the target of an error. */
export function wrongValues({ target }: RowError, { values }: RowProblem): readonly string[] {
  const found = values.pairs.filter((pair) => pair.target.name === target && pair.value !== undefined);
  const all = found.flatMap(({ value, cell = value }) => (Array.isArray(cell) ? (cell as readonly unknown[]) : [cell]));
  return all.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
}
