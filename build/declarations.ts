import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Removes from dist/lib the declarations that no entry point of the package needs. Copies the sources of the others to
 * dist/src and makes the declaration maps lead there.
 */

type Entry = { readonly types?: string };

const needed = new Set<string>();

/** Marks a declaration file and all those that it imports. */
function need(file: string): void {
  if (needed.has(file)) return;
  needed.add(file);
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(/\b(?:from |import ?\(?)"(\.[^"]+)"/g))
    need(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
}

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
for (const { types } of Object.values<Entry>(exports)) if (types !== undefined) need(join(types));

for (const file of globSync("dist/lib/**/*.d.ts")) {
  const mapFile = `${file}.map`;
  if (!needed.has(file)) {
    rmSync(file);
    rmSync(mapFile);
    continue;
  }
  const map = JSON.parse(readFileSync(mapFile, "utf8"));
  const [source = ""] = map.sources;
  const copy = join("dist/src", relative("lib", join(dirname(file), source)));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(join(dirname(file), source), copy);
  writeFileSync(mapFile, JSON.stringify({ ...map, sources: [relative(dirname(file), copy)] }));
}
