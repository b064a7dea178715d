import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { entities } from "../bin/import/column-target.ts";
import { modelTargets } from "../bin/import/model-targets.ts";
import { consoleInputsFile } from "./notices.ts";

/** Writes dist/console: the page of the console, its script and its styles. */

const folder = "dist/console";
const files = ["index.html", "console.js", "console.css"];

mkdirSync(folder, { recursive: true });
const { metafile } = await build({
  entryPoints: [
    { in: "bin/console/main.tsx", out: "console" },
    { in: "bin/console/console.css", out: "console" },
  ],
  outdir: folder,
  bundle: true,
  platform: "browser",
  format: "esm",
  target: ["chrome123", "firefox121", "safari17.5"],
  tsconfig: "bin/console/tsconfig.json",
  // The models would add their validation to the script.
  define: { modelTargets: JSON.stringify(Object.fromEntries(entities.map((each) => [each, modelTargets(each)]))) },
  minify: true,
  legalComments: "none",
  metafile: true,
});
writeFileSync(consoleInputsFile, JSON.stringify(Object.keys(metafile.inputs)));
copyFileSync("bin/console/index.html", `${folder}/index.html`);
const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(`${folder}/${name}`)).length, 0);
process.stdout.write(`${folder}: ${(size / 1024).toFixed(1)} KB compressed\n`);
