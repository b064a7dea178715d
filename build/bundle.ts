import { globSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { versionModule } from "./version-module.ts";

/** The name under which the binary carries the notices. */
export const noticesAsset = "THIRD-PARTY-NOTICES.txt";

/** The name under which the binary carries the documentation site. */
export const docsAsset = "docs-site.pack";

/** The fixtures that the binary carries, each as `fixtures/NAME.json`. */
export const fixtureFiles = globSync("fixtures/*.json").filter((file) => !file.endsWith(".schema.json"));

/** A script, and the paths of all files that are in it. */
type Script = { readonly code: string; readonly inputs: readonly string[] };

/** The program as scripts, and the paths of all files that are in them. */
export type Bundle = Script & {
  /** Packages that the program loads on first use: the names of their assets and their scripts. */
  readonly packages: ReadonlyMap<string, string>;
};

/**
 * Packages that the program loads on first use, and code that loads their entry points. Inside the script of the
 * program, they would use memory from the start.
 */
const lazyPackages: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server":
    'export * from "@modelcontextprotocol/server"; export * from "@modelcontextprotocol/server/stdio";',
  "@simplewebauthn/server": 'export * from "@simplewebauthn/server";',
  ioredis: 'module.exports = require("ioredis");',
  pg: 'module.exports = require("pg");',
  "prom-client": 'module.exports = require("prom-client");',
};

const packageAsset = (name: string): string => `packages/${name}.js`;

/** Bundles the program for the binary. Files that it reads at run time become text in the script, or named assets. */
export async function bundleProgram(): Promise<Bundle> {
  const worker = await bundle({ entryPoints: ["lib/storage/sqlite/commit-worker.ts"] }, [
    replacing([
      [sqliteFiles, () => schemaModule],
      [binding, () => workerBindingModule],
    ]),
  ]);
  const program = await bundle({ entryPoints: ["bin/start.ts"] }, [
    replacing([...replacements, [sqliteFiles, () => schemaModule + workerModule(worker.code)]]),
    loadingLazyPackages,
  ]);
  const packages = await Promise.all(
    Object.entries(lazyPackages).map(async ([name, contents]) => ({
      asset: packageAsset(name),
      ...(await bundle({ stdin: { contents, resolveDir: process.cwd() } }, [])),
    })),
  );
  return {
    code: program.code,
    packages: new Map(packages.map(({ asset, code }) => [asset, code])),
    inputs: [program, worker, ...packages].flatMap(({ inputs }) => inputs),
  };
}

/** A module and its replacement. */
type Replacement = readonly [module: RegExp, contents: () => string];

async function bundle(entry: Pick<BuildOptions, "entryPoints" | "stdin">, plugins: Plugin[]): Promise<Script> {
  const { outputFiles, metafile } = await build({
    ...entry,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    // Names stay, for readable stacks.
    minifyWhitespace: true,
    minifySyntax: true,
    // The notices have the whole texts.
    legalComments: "none",
    metafile: true,
    write: false,
    plugins,
  });
  return { code: toAscii(outputFiles[0]?.text ?? ""), inputs: Object.keys(metafile.inputs) };
}

/**
 * Escapes the characters of a script that aren't ASCII. esbuild leaves them in regular expressions, and V8 stores a text
 * with a single character beyond Latin-1 in twice the memory.
 */
export function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function replacing(replacements: readonly Replacement[]): Plugin {
  return {
    name: "replacing",
    setup({ onLoad }) {
      for (const [filter, contents] of replacements) {
        onLoad({ filter }, () => ({ contents: contents(), loader: "js", resolveDir: process.cwd() }));
      }
    },
  };
}

/** Loads lazy packages from their assets. In a single executable, `require` loads built-ins only. */
const loadingLazyPackages: Plugin = {
  name: "loading-lazy-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^/ }, ({ path }) => {
      const found = Object.entries(lazyPackages).find(([, code]) => code.includes(`"${path}"`));
      return found && { path: found[0], namespace: "lazy-package" };
    });
    onLoad({ filter: /^/, namespace: "lazy-package" }, ({ path }) => ({
      contents: `
        const { getAsset } = require("node:sea");
        const { compileFunction } = require("node:vm");
        const filename = ${JSON.stringify(packageAsset(path))};
        compileFunction(getAsset(filename, "utf8"), ["module", "require"], { filename })(module, require);`,
    }));
  },
};

const binding = /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/;
const sqliteFiles = /[\\/]lib[\\/]storage[\\/]sqlite[\\/]bundled-files\.ts$/;
const schemaModule = `export const schemaSql = ${textOf("schema.sql")};`;

/** Modules that read files next to them. */
const replacements: readonly Replacement[] = [
  [
    /[\\/]lib[\\/]storage[\\/]postgres[\\/]schema\.ts$/,
    () => `export const schemaSql = ${textOf("lib/storage/postgres/schema.sql")};`,
  ],
  [/[\\/]lib[\\/]testing[\\/]bundled-fixtures\.ts$/, () => fixturesModule],
  [/[\\/]lib[\\/]http[\\/]docs[\\/]assets\.ts$/, () => assetsModule],
  [/[\\/]bin[\\/]cli[\\/]version\.ts$/, versionModule],
  [/[\\/]bin[\\/]cli[\\/]licenses\.ts$/, () => licensesModule],
  [/[\\/]bin[\\/]server[\\/]docs-bytes\.ts$/, () => docsModule],
  [binding, () => bindingModule],
];

const assetsModule = `
  import { getRawAsset } from "node:sea";
  export const readAsset = (name) => new Uint8Array(getRawAsset(name));`;

const licensesModule = `
  import { getAsset } from "node:sea";
  export const readLicenses = () => getAsset(${JSON.stringify(noticesAsset)}, "utf8");`;

const docsModule = `
  import { getRawAsset } from "node:sea";
  export const findDocsSite = () => () => new Uint8Array(getRawAsset(${JSON.stringify(docsAsset)}));`;

const fixturesModule = `
  import { getRawAsset } from "node:sea";
  const names = ${JSON.stringify(fixtureFiles.map((file) => basename(file, ".json")))};
  export const readBundledFixture = (name) =>
    names.includes(name) ? new Uint8Array(getRawAsset("fixtures/" + name + ".json")) : undefined;`;

const bindingModule = `
  import { getRawAsset } from "node:sea";
  import { addonName, loadAddon } from ${JSON.stringify(resolve("build/addon.ts"))};
  let binding;
  export const getBinding = () => (binding ??= loadAddon(new Uint8Array(getRawAsset(addonName))));`;

/** The commit worker loads the same file as the program: two copies of SQLite would release each other's locks. */
const workerBindingModule = `
  import { workerData } from "node:worker_threads";
  const loaded = { exports: {} };
  process.dlopen(loaded, workerData.addon);
  export const getBinding = () => loaded.exports;`;

/** The commit worker starts from text, because the binary has no file for it. */
function workerModule(code: string): string {
  return `
    import { addonFile } from ${JSON.stringify(resolve("build/addon.ts"))};
    const code = ${JSON.stringify(code)};
    export const workerEntry = () => addonFile() && {
      code,
      options: { eval: true, execArgv: [], workerData: { addon: addonFile() } },
    };`;
}

function textOf(file: string): string {
  return JSON.stringify(readFileSync(file, "utf8"));
}
