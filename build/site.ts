import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { build } from "vitepress";
import { navigationFile, packedSite, pagesFolder, siteFolder } from "../site/folders.ts";
import { llmsText } from "../site/llms-text.ts";
import { packFiles } from "../site/pack-files.ts";
import { stageSite } from "../site/stage-pages.ts";

/**
 * Writes dist/site, the documentation site from the Markdown in docs/, and packs it into one file for the program. With
 * `--if-changed`, only if a source is newer.
 */

const sources = ["docs/**/*", "site/**/*", "site/.vitepress/**/*", "*.{md,json}", "build/site.ts"];

if (process.argv.includes("--if-changed") && isCurrent()) process.exit();

const { pages, files, sidebar } = stageSite();
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
for (const folder of [pagesFolder, siteFolder]) rmSync(folder, { recursive: true, force: true });
for (const { path, text } of pages) write(`${pagesFolder}/${path}`, text);
for (const [source, path] of files) write(`${pagesFolder}/${path}`, compact(source, readFileSync(source)));
write(navigationFile, JSON.stringify({ version, sidebar }));
await build("site");
// Assistants read Markdown with less effort than HTML.
for (const { path, text } of pages) write(`${siteFolder}/${path}`, text);
write(`${siteFolder}/llms.txt`, llmsText(pages, sidebar));
rmSync(`${siteFolder}/hashmap.json`, { force: true });

const paths = globSync("**/*", { cwd: siteFolder }).filter((path) => statSync(`${siteFolder}/${path}`).isFile());
const packed = packFiles(paths.sort().map((path) => [path, readFileSync(`${siteFolder}/${path}`)]));
writeFileSync(packedSite, packed);
process.stderr.write(`${siteFolder}: ${paths.length} files; ${packedSite}: ${(packed.length / 1024).toFixed(0)} KB\n`);

function isCurrent(): boolean {
  const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.max(...sources.flatMap((pattern) => globSync(pattern)).map(changedAt)) <= changedAt(packedSite);
}

/** Returns JSON without white space, and other files unchanged. */
function compact(path: string, content: Buffer): Buffer | string {
  return path.endsWith(".json") ? JSON.stringify(JSON.parse(content.toString())) : content;
}

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
