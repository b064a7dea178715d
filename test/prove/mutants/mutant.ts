import { globSync } from "node:fs";

/** One fault: a replacement of text that a file contains exactly once, and the tests that must fail with it. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** One of these fails with the fault; they are run in this order, up to the first that does. */
  readonly tests: readonly string[];
};

/** Names of tests, such as `isolated`, or of tests in a tier, such as `prove/isolated`. */
export type Tests = string | readonly string[];

/** The name of a fault, the text, its replacement, and the tests that must fail, unless they are those of the file. */
export type Replacement = readonly [name: string, from: string, to: string, tests?: Tests];

/** Returns faults in one file. */
export function faults(file: string, tests: Tests, replacements: readonly Replacement[]): Mutant[] {
  return replacements.map(([name, from, to, own = tests]) => ({
    name,
    file,
    from,
    to,
    tests: [own].flat().map(pathOf),
  }));
}

function pathOf(test: string): string {
  const [name = "", tier = "*"] = test.split("/").toReversed();
  return globSync(`test/${tier}/**/${name}.test.ts`)[0] ?? `test/${test}.test.ts`;
}
