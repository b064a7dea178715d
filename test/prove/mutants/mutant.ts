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

export function fault(name: string, file: string, from: string, to: string, tests: readonly string[]): Mutant {
  return { name, file, from, to, tests: tests.map(pathOf) };
}

/** Returns the path of a test by its name, such as `isolated`, or its tier and its name, such as `prove/isolated`. */
function pathOf(test: string): string {
  const [name = "", tier = "*"] = test.split("/").toReversed();
  return globSync(`test/${tier}/**/${name}.test.ts`)[0] ?? `test/${test}.test.ts`;
}
