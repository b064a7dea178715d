import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { models } from "../lib/model/kinds.ts";
import { entities, fieldTargets } from "../lib/transfer/index.ts";
import { consoleInputsFile } from "./notices.ts";

/**
 * Writes dist/console: the page of the console, its script and its styles. With `--if-changed`, only if a source is newer.
 */

const folder = "dist/console";
const files = ["index.html", "console.js", "console.css"];
const sources = ["{console,lib}/**/*", "build/console.ts", "package-lock.json"];

if (process.argv.includes("--if-changed") && isCurrent()) process.exit();

mkdirSync(folder, { recursive: true });
const { metafile } = await build({
  entryPoints: [
    { in: "console/main.tsx", out: "console" },
    { in: "console/console.css", out: "console" },
  ],
  outdir: folder,
  bundle: true,
  platform: "browser",
  format: "esm",
  target: ["chrome123", "firefox121", "safari17.5"],
  tsconfig: "console/tsconfig.json",
  // The models would add their validation to the script.
  define: {
    modelTargets: JSON.stringify(Object.fromEntries(entities.map((each) => [each, fieldTargets(models[each].fields)]))),
  },
  minify: true,
  legalComments: "none",
  metafile: true,
});
writeFileSync(consoleInputsFile, JSON.stringify(Object.keys(metafile.inputs)));
copyFileSync("console/index.html", `${folder}/index.html`);
const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(`${folder}/${name}`)).length, 0);
process.stderr.write(`${folder}: ${(size / 1024).toFixed(1)} KB compressed\n`);

function isCurrent(): boolean {
  const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const oldest = Math.min(...[consoleInputsFile, ...files.map((name) => `${folder}/${name}`)].map(changedAt));
  return Math.max(...sources.flatMap((pattern) => globSync(pattern)).map(changedAt)) <= oldest;
}
