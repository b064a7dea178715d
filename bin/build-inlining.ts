import { globSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const version: string = JSON.parse(readFileSync("package.json", "utf8")).version;

/** How the program becomes one file. Names stay, so that the stack of a fault says something. */
export const form = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
} as const;

const assetsModule = `
  import { getRawAsset } from "node:sea";
  export const readAsset = (name) => new Uint8Array(getRawAsset(name));`;

/** In a single executable, \`require\` loads built-ins only. */
const bindingModule = `
  import { getRawAsset } from "node:sea";
  import { addonName, loadAddon } from ${JSON.stringify(resolve("bin/addon.ts"))};
  let binding;
  export const getBinding = () => (binding ??= loadAddon(new Uint8Array(getRawAsset(addonName))));`;

/** The thread for commits takes SQLite's code from where the program took it: two of them would undo each other's locks. */
const threadBindingModule = `
  import { workerData } from "node:worker_threads";
  const loaded = { exports: {} };
  process.dlopen(loaded, workerData.addon);
  export const getBinding = () => loaded.exports;`;

/** What is put in the place of a module. */
type Replacement = readonly [module: RegExp, contents: () => string | Promise<string>];
const schemaReplacement: Replacement = [
  /[\\/]lib[\\/]sqlite[\\/]schema\.ts$/,
  () => `export const schemaSql = ${textOf("schema.sql")};`,
];
const binding = /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/;

/** Modules that read files beside them, and what stands in their place inside the binary. */
const replacements: readonly Replacement[] = [
  schemaReplacement,
  [/[\\/]lib[\\/]postgres[\\/]schema\.ts$/, () => `export const schemaSql = ${textOf("lib/postgres/schema.sql")};`],
  [/[\\/]lib[\\/]testing[\\/]shipped\.ts$/, shippedModule],
  [/[\\/]lib[\\/]openapi[\\/]assets\.ts$/, () => assetsModule],
  [/[\\/]bin[\\/]version\.ts$/, () => `export const version = ${JSON.stringify(version)};`],
  [binding, () => bindingModule],
  [/[\\/]lib[\\/]sqlite[\\/]thread-code\.ts$/, threadModule],
];

/** Puts what the program reads from files of its own into the program. */
export const inlining: Plugin = replacing(replacements);

function replacing(all: readonly Replacement[]): Plugin {
  return {
    name: "inlining",
    setup({ onLoad }) {
      for (const [filter, contents] of all) {
        onLoad({ filter }, async () => ({ contents: await contents(), loader: "js", resolveDir: process.cwd() }));
      }
    },
  };
}

/** One text for both: the thread has no file to start from. */
async function threadModule(): Promise<string> {
  const { outputFiles } = await build({
    ...form,
    entryPoints: ["lib/sqlite/commit-worker.ts"],
    write: false,
    plugins: [replacing([schemaReplacement, [binding, () => threadBindingModule]])],
  });
  return `
    import { addonFile } from ${JSON.stringify(resolve("bin/addon.ts"))};
    const code = ${JSON.stringify(outputFiles[0]?.text)};
    export const threadCode = () => addonFile() && {
      code,
      options: { eval: true, execArgv: [], workerData: { addon: addonFile() } },
    };`;
}

function shippedModule(): string {
  const files = globSync("fixtures/*.json").filter((file) => !file.endsWith(".schema.json"));
  const entries = files.map((file) => `${JSON.stringify(basename(file, ".json"))}: ${textOf(file)}`);
  return `const files = { ${entries.join(", ")} };
    export const shippedTenantFile = (name) => Object.hasOwn(files, name) ? Buffer.from(files[name]) : undefined;`;
}

function textOf(file: string): string {
  return JSON.stringify(readFileSync(file, "utf8"));
}
