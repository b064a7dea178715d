import { existsSync, globSync, readFileSync } from "node:fs";
import type { Mutant } from "./mutant.ts";

/**
 * Returns what is wrong with the list of faults: a name twice, missing tests, and conditions in SQL without a fault.
 */
export function findListErrors(mutants: readonly Mutant[]): string[] {
  const twice = mutants.filter(({ name }, index) => mutants.findIndex((each) => each.name === name) !== index);
  const missing = mutants.flatMap(({ name, tests }) =>
    tests.filter((file) => !existsSync(file)).map((file) => `${name}: the test ${file} doesn't exist.`),
  );
  return [...twice.map(({ name }) => `${name}: this name is used twice.`), ...missing, ...findUncovered(mutants)];
}

/** Returns a message for each fault that doesn't match its file exactly once. */
export function findMisfits(mutants: readonly Mutant[]): string[] {
  return mutants
    .filter(({ file, from }) => readFileSync(file, "utf8").split(from).length !== 2)
    .map(({ name, file, from }) => `${name}: update this fault. ${file} must contain once: ${from}`);
}

/** Finds the conditions on the tenant in the SQL of SQLite that no fault removes. */
function findUncovered(mutants: readonly Mutant[]): string[] {
  const files = globSync("lib/storage/{sql,sqlite}/*.ts");
  return files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const ranges = mutants
      .filter((mutant) => mutant.file === file)
      .map(({ from }) => ({ start: text.indexOf(from), end: text.indexOf(from) + from.length }));
    return [...text.matchAll(/tenant_id = /g)]
      .filter(({ index }) => !ranges.some(({ start, end }) => start <= index && index < end))
      .map(({ index }) => `${file}: add a fault that removes this condition: ${text.slice(index - 40, index + 40)}`);
  });
}
