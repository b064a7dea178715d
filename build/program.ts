import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build, type Plugin } from "esbuild";
import { notices, packageComponents, readConsoleInputs } from "./notices.ts";
import { versionModule } from "./version-module.ts";

/**
 * Writes dist/bin: the program in one bundle with the library and all packages in JavaScript. Hundreds of separate files
 * would take longer to load, and 10 MiB more memory. Parts that are loaded on first use, such as the MCP server, are
 * files of their own.
 */

const { optionalDependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

/** Leaves modules of the library in dist/lib if they find other files by their own URL. */
const modulesWithFiles: Plugin = {
  name: "modules-with-files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const file = relative(".", join(resolveDir, path));
      if (!file.startsWith(`lib${sep}`) || !readFileSync(file, "utf8").includes("import.meta.url")) return undefined;
      return { path: `../${file.replaceAll(sep, "/").replace(/\.ts$/, ".js")}`, external: true };
    });
    onLoad({ filter: /[\\/]bin[\\/]cli[\\/]version\.ts$/ }, () => {
      return { contents: versionModule(), loader: "js" };
    });
  },
};

const { metafile } = await build({
  entryPoints: { program: "bin/start.ts" },
  outdir: "dist/bin",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node22.14",
  // SQLite is native code. The peers are optional for users of the library, who choose their versions.
  external: Object.keys({ ...optionalDependencies, ...peerDependencies }).filter(
    (name) => name !== "@modelcontextprotocol/server",
  ),
  // Names stay, for readable stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  // The notices have the whole texts.
  legalComments: "none",
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  plugins: [modulesWithFiles],
  metafile: true,
});
const inputs = Object.keys(metafile.inputs);
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
