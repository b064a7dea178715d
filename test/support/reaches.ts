import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether a file of the tests imports another, directly or through files of the tests. */
export function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  if (file === target) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some((each) => each.startsWith("test/") && reaches(each, target, seen));
}

/** Whether a harness lets `npm run test:postgres` say where the records are that it is about. */
export function hasPlace(file: string): boolean {
  return reaches(file, "test/prove/served-place.ts");
}

/** The files of this repository that a file imports, by their path in it. */
export function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)";/gm);
  return [...found].map(([, path = ""]) => join(dirname(file), path));
}
