import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build, type Plugin } from "esbuild";

/**
 * Makes dist/bin/crm-integrations.js: the program with all that only it needs inside, so that the library's users
 * install none of it. The library itself stays beside it in dist/lib, and its packages are the package's own.
 */

const { version, dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

const beside: Plugin = {
  name: "beside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/lib\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const module = relative("lib", join(resolveDir, path)).split(sep).join("/");
      return { path: `../lib/${module.replace(/\.ts$/, ".js")}`, external: true };
    });
    onLoad({ filter: /[\\/]bin[\\/]version\.ts$/ }, () => {
      return { contents: `export const version = ${JSON.stringify(version)};`, loader: "js" };
    });
  },
};

await build({
  entryPoints: ["bin/crm-integrations.ts"],
  outfile: "dist/bin/crm-integrations.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  external: Object.keys({ ...dependencies, ...peerDependencies }),
  plugins: [beside],
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
