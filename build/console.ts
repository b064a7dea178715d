import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { minify } from "terser";
import type { GroupName } from "../console/screen-groups.ts";
import { models } from "../lib/model/kinds.ts";
import { entities, fieldTargets } from "../lib/transfer/index.ts";
import { consoleInputsFile } from "./notices.ts";

/**
 * Writes dist/console: the page of the console, its scripts and its styles, and files.json, which lists them. With
 * `--if-changed`, only if a source is newer.
 *
 * The names of scripts and styles have a hash of their contents. So a page never loads a part of another version, and
 * browsers store them without asking again.
 */

const folder = "dist/console";
const sources = ["{console,lib}/**/*", "build/console.ts", "package-lock.json"];

const main = "console/main.tsx";
/** The modules of the groups. They are loaded later. */
const groupModules: Readonly<Record<GroupName, string>> = {
  records: "console/records/records.tsx",
  settings: "console/settings.tsx",
};

type Result = BuildResult<{ metafile: true; write: false }>;

if (process.argv.includes("--if-changed") && isCurrent()) process.exit();

const targets = Object.fromEntries(entities.map((each) => [each, fieldTargets(models[each].fields)]));
const options = {
  outdir: folder,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  platform: "browser",
  format: "esm",
  target: ["chrome123", "firefox125", "safari17.5"],
  // Calls of `createElement` are smaller than those of the automatic transform, which has an object per element.
  tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" } },
  alias: {
    "crm-integrations/client": "./lib/client/index.ts",
    "crm-integrations/transfer": "./lib/transfer/index.ts",
  },
  // The models would add their validation to the script.
  define: {
    modelTargets: JSON.stringify(JSON.stringify(targets, (_, value) => (value === false ? undefined : value))),
  },
  minify: true,
  legalComments: "none",
  metafile: true,
  write: false,
} satisfies BuildOptions;

const texts = await build({
  ...options,
  entryPoints: ["console/texts/en.ts", "console/texts/de.ts", { in: "console/console.css", out: "console" }],
});
const textFiles = { en: fileOf(texts, "console/texts/en.ts"), de: fileOf(texts, "console/texts/de.ts") };
const parts = await buildParts([...(await findShared())]);
const start = await build({
  ...options,
  entryPoints: ["console/start.ts"],
  format: "iife",
  define: {
    files: JSON.stringify({
      texts: textFiles,
      groups: Object.fromEntries(
        Object.entries(groupModules).map(([name, module]) => [name, outputsOf(parts, module)]),
      ),
    }),
  },
});
await writeFiles();

/** Bundles the program. Modules in `shared` come into one file, and so do all modules of the first screen. */
function buildParts(shared: readonly string[]): Promise<Result> {
  return build({ ...options, splitting: true, entryPoints: [main], plugins: [withoutTexts(), joining(shared)] });
}

/** Leaves out the texts, which are in files of their own. They are loaded before the program runs. */
function withoutTexts(): Plugin {
  return {
    name: "without-texts",
    setup({ onResolve }) {
      onResolve({ filter: /\/texts\/(en|de)\.ts$/ }, ({ path }) => {
        return { path: path.endsWith("/de.ts") ? textFiles.de : textFiles.en, external: true };
      });
    },
  };
}

/**
 * Makes each group import all shared modules and those of the records. esbuild writes a file for each set of groups that
 * share modules, so now there is one for the modules of the first screen and one for the others. Fewer files are smaller
 * when they are compressed.
 */
function joining(shared: readonly string[]): Plugin {
  const joined = [main, groupModules.records, ...shared].map((module) => resolve(module));
  const groups = Object.values(groupModules).map((module) => resolve(module));
  return {
    name: "joining",
    setup({ onLoad, onResolve, resolve: resolveImport }) {
      onLoad({ filter: /\.tsx$/ }, ({ path }) => {
        const imports = groups.includes(path) ? joined.map((module) => `import ${JSON.stringify(module)};`) : [];
        const factory = 'import { createElement, Fragment } from "preact";';
        return { contents: [factory, readFileSync(path, "utf8"), ...imports].join("\n"), loader: "tsx" };
      });
      // esbuild would leave out an import without names of a module without side effects.
      onResolve({ filter: /\.tsx?$/ }, async ({ path, pluginData, ...args }) => {
        if (pluginData === joined) return undefined;
        const resolved = await resolveImport(path, { ...args, pluginData: joined });
        return joined.includes(resolved.path) ? { ...resolved, sideEffects: true } : resolved;
      });
    },
  };
}

/** Returns the modules that several groups import, and that the first screen doesn't. */
async function findShared(): Promise<readonly string[]> {
  const { metafile } = await buildParts([]);
  return Object.values(metafile.outputs).flatMap(({ inputs, entryPoint }) =>
    entryPoint === undefined && !Object.hasOwn(inputs, main)
      ? Object.keys(inputs).filter((path) => /\.tsx?$/.test(path))
      : [],
  );
}

/** Returns the output with a module, and those that it imports. */
function outputsOf({ metafile: { outputs } }: Result, module: string): readonly string[] {
  const path = Object.keys(outputs).find((each) => Object.hasOwn(outputs[each]?.inputs ?? {}, module)) ?? "";
  const imported = outputs[path]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
  return [path, ...imported.map((each) => each.path)].map((each) => `./${basename(each)}`);
}

function fileOf(result: Result, module: string): string {
  return outputsOf(result, module)[0] ?? "";
}

async function writeFiles(): Promise<void> {
  const results = [texts, parts];
  const page = readFileSync("console/index.html", "utf8")
    // A function, because a string could have patterns such as $&.
    .replace("start.js", () => start.outputFiles[0]?.text.trim() ?? "")
    .replace('"main.js"', `"${fileOf(parts, main)}"`)
    .replace('"console.css"', `"${fileOf(texts, "console/console.css")}"`);
  const files = new Map([["index.html", page]]);
  for (const { path, text } of results.flatMap(({ outputFiles }) => outputFiles)) {
    const name = basename(path);
    // The output of the entry point only imports the file of the first screen, which the page loads directly.
    if (!name.startsWith("main-")) files.set(name, name.endsWith(".js") ? await shrink(text) : text);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of files) writeFileSync(`${folder}/${name}`, contents);
  writeFileSync(`${folder}/files.json`, JSON.stringify([...files.keys()]));
  writeFileSync(
    consoleInputsFile,
    JSON.stringify([...results, start].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
  );
  const sizes = [...files].map(([name, contents]) => [name, gzipSync(contents).length / 1024] as const);
  for (const [name, size] of sizes) process.stderr.write(`${name}: ${size.toFixed(1)} KB\n`);
  const sum = sizes.reduce((total, [, size]) => total + size, 0);
  process.stderr.write(`${folder}: ${sum.toFixed(1)} KB compressed\n`);
}

/** Minifies a script of esbuild again, which makes it about 3 % smaller when it is compressed. */
async function shrink(script: string): Promise<string> {
  const { code } = await minify(script, { module: true, ecma: 2020 });
  return code ?? script;
}

function isCurrent(): boolean {
  const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const list = `${folder}/files.json`;
  const files: readonly string[] = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  const oldest = Math.min(...[consoleInputsFile, list, ...files.map((name) => `${folder}/${name}`)].map(changedAt));
  return Math.max(...sources.flatMap((pattern) => globSync(pattern)).map(changedAt)) <= oldest;
}
