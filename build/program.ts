import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { notices, packageComponents, readConsoleInputs } from "./notices.ts";
import { versionModule } from "./version-module.ts";

/**
 * Writes dist/bin: the program, bundled with the packages that only it needs, so that users of the library don't
 * install them. The library stays in dist/lib. Its packages are dependencies of the npm package. mcp.js has the MCP
 * server with the SDK, which is an optional peer dependency of the library. The program loads it on first use.
 */

const { dependencies, imports, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
);

const libraryOutside: Plugin = {
  name: "library-outside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#lib\/mcp$/ }, () => ({ path: "./mcp.js", external: true }));
    onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
      if (relative(".", resolveDir) !== join("lib", "mcp")) return undefined;
      return { path: path.replace("../", "../lib/").replace(/\.ts$/, ".js"), external: true };
    });
    onResolve({ filter: /^#lib\b/ }, ({ path }) => {
      return { path: imports[path].replace("./lib/", "../lib/").replace(/\.ts$/, ".js"), external: true };
    });
    onLoad({ filter: /[\\/]bin[\\/]cli[\\/]version\.ts$/ }, () => {
      return { contents: versionModule(), loader: "js" };
    });
  },
};

const sdk = "@modelcontextprotocol/server";
const shared = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22.14",
  external: Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
    (name) => name !== sdk,
  ),
  plugins: [libraryOutside],
  metafile: true,
} satisfies BuildOptions;

const { metafile } = await build({
  ...shared,
  entryPoints: ["bin/start.ts"],
  outfile: "dist/bin/program.js",
  // Names stay, for readable stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  // The notices have the whole texts.
  legalComments: "none",
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
const { metafile: mcp } = await build({
  ...shared,
  entryPoints: ["lib/mcp/index.ts"],
  outfile: "dist/bin/mcp.js",
  // Nearly all of it is the SDK. Without its names, it takes two thirds of the space.
  minify: true,
  legalComments: "none",
});
const inputs = Object.keys({ ...metafile.inputs, ...mcp.inputs });
writeFileSync("dist/THIRD-PARTY-NOTICES.txt", notices(packageComponents([...inputs, ...readConsoleInputs()])));
// For tests.
writeFileSync("dist/program.inputs.json", JSON.stringify(inputs));

// An older Node must be able to read this file, so it can't contain the program.
await build({
  entryPoints: ["bin/crm-integrations.ts"],
  bundle: true,
  external: ["./start.ts"],
  outfile: "dist/bin/crm-integrations.js",
  format: "esm",
  target: "node16",
  banner: { js: "#!/usr/bin/env node" },
});
const entry = readFileSync("dist/bin/crm-integrations.js", "utf8");
writeFileSync("dist/bin/crm-integrations.js", entry.replace("./start.ts", "./program.js"));
