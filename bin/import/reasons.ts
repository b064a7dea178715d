import type { RowError, RowProblem } from "#lib/transfer";

type Reason = { readonly text: string; count: number; readonly examples: string[] };

/** Examples per reason. */
const maxExamples = 2;
/** Reasons that are printed. */
const maxPrinted = 20;
/** An NDJSON file can have a reason per key. */
const maxReasons = 1_000;
const maxValueLength = 60;

/** Counts the reasons for which rows are rejected, with examples. */
export class Reasons {
  readonly #reasons = new Map<string, Reason>();
  #others = 0;

  add(problem: RowProblem): void {
    for (const error of problem.errors) {
      const { code, target, reason, message } = error;
      const key = reason ?? (target === undefined ? message : `${code} ${target}`);
      const known = this.#reasons.get(key);
      if (known !== undefined) count(known, error, problem);
      else if (this.#reasons.size < maxReasons) this.#reasons.set(key, count(toReason(error), error, problem));
      else this.#others += 1;
    }
  }

  /** Returns the lines to print, the most frequent reason first. `noun` is what is counted. */
  lines(title: string, noun: string): readonly string[] {
    if (this.#reasons.size === 0) return [];
    const sorted = [...this.#reasons.values()].toSorted((a, b) => b.count - a.count);
    const lines = sorted
      .slice(0, maxPrinted)
      .flatMap(({ text, count, examples }) => [
        `${count} ${noun}${count === 1 ? "" : "s"}: ${text}`,
        ...examples.map((example) => `  ${example}`),
      ]);
    const more = Math.max(0, sorted.length - maxPrinted) + this.#others;
    return [title, ...lines, ...(more === 0 ? [] : [`And ${more} more reasons.`])];
  }
}

function toReason({ reason, message }: RowError): Reason {
  // The suggestion belongs to the value of one row.
  return { text: (reason ?? message).replace(/ Did you mean "[^"]*"\?/, ""), count: 0, examples: [] };
}

function count(known: Reason, error: RowError, { row, values }: RowProblem): Reason {
  known.count += 1;
  if (known.examples.length >= maxExamples) return known;
  const value = values.pairs.find(({ target }) => target.name === error.target)?.value;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
  const shown = text === "" ? "" : `: "${text.slice(0, maxValueLength)}"`;
  known.examples.push(`line ${row.line}${error.reason === undefined ? shown : `: ${error.message}`}`);
  return known;
}
