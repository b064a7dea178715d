import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** Prints as JSON the packages that an import of FILE loads. Usage: `node test/support/loaded-packages.ts FILE`. */

const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) packages.add(name);
    return nextLoad(url, context);
  },
});

await import(pathToFileURL(process.argv[2] ?? "").href);
process.stdout.write(JSON.stringify([...packages].sort()));
