import { readFileSync, writeFileSync } from "node:fs";
import { build, type Plugin } from "esbuild";
import { notices, packageComponents, readConsoleInputs } from "./notices.ts";

/**
 * Writes dist/bin: the program, bundled with the packages that only it needs, so that users of the library don't
 * install them. The library stays in dist/lib. Its packages are dependencies of the npm package.
 */

const { version, dependencies, imports, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
);

const libraryOutside: Plugin = {
  name: "library-outside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#lib\b/ }, ({ path }) => {
      return { path: imports[path].replace("./lib/", "../lib/").replace(/\.ts$/, ".js"), external: true };
    });
    onLoad({ filter: /[\\/]bin[\\/]cli[\\/]version\.ts$/ }, () => {
      return { contents: `export const version = ${JSON.stringify(version)};`, loader: "js" };
    });
  },
};

const { metafile } = await build({
  entryPoints: ["bin/start.ts"],
  outfile: "dist/bin/program.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22.14",
  external: Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
  plugins: [libraryOutside],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  metafile: true,
});
writeFileSync(
  "dist/THIRD-PARTY-NOTICES.txt",
  notices(packageComponents([...Object.keys(metafile.inputs), ...readConsoleInputs()])),
);

// An older Node must be able to read this file, so it can't contain the program.
await build({
  entryPoints: ["bin/crm-integrations.ts"],
  outfile: "dist/bin/crm-integrations.js",
  format: "esm",
  target: "node16",
  banner: { js: "#!/usr/bin/env node" },
});
const entry = readFileSync("dist/bin/crm-integrations.js", "utf8");
writeFileSync("dist/bin/crm-integrations.js", entry.replace("./start.ts", "./program.js"));
