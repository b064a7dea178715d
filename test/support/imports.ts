import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns whether a file of test/ imports a file, directly or through other files of test/. */
export function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  if (file === target) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some((each) => each.startsWith("test/") && reaches(each, target, seen));
}

/** Returns whether a test of test/prove uses the storage that `npm run test:postgres` selects. */
export function usesServedStorage(file: string): boolean {
  return reaches(file, "test/prove/served-storage.ts");
}

/** Returns the paths of the files of this repository that a file imports. */
export function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)";/gm);
  return [...found].map(([, path = ""]) => join(dirname(file), path));
}
