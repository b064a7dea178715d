import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Software that a build contains, with the text of its license. */
export type Component = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The package URL. */
  readonly purl: string;
};

/** The paths of all files that are in the script of the console. `npm run build:console` writes it. */
export const consoleInputsFile = "dist/console.inputs.json";

/** Returns the paths of all files that are in the script of the console. */
export function readConsoleInputs(): readonly string[] {
  return JSON.parse(readFileSync(consoleInputsFile, "utf8"));
}

/**
 * Returns what the npm package contains.
 * @param inputs the files in the bundles of the program and of the console
 */
export function packageComponents(inputs: readonly string[]): readonly Component[] {
  const folders = inputs.flatMap((path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  // The bundle has helper functions of esbuild in it.
  folders.push("node_modules/swagger-ui-dist", "node_modules/esbuild");
  return [...new Set(folders)].sort().map(componentOf);
}

/**
 * Returns what the binary contains.
 * @param inputs the files in the bundles of the program and of the console
 */
export function binaryComponents(inputs: readonly string[]): readonly Component[] {
  return [nodeComponent(process.versions.node), sqliteComponent(), ...packageComponents(inputs)];
}

/** Returns a text with the license of this project and of all these components. */
export function notices(components: readonly Component[]): string {
  const { version } = manifestOf(".");
  const own = { name: "crm-integrations", version, license: readFileSync("LICENSE", "utf8") };
  const all = [own, ...components];
  const rule = "=".repeat(80);
  return all
    .map(({ name, version, license }) => `${rule}\n${name} ${version}\n${rule}\n\n${license.trim()}\n`)
    .join("\n");
}

/**
 * Returns the package in a folder.
 * @throws if the package has no license text
 */
export function componentOf(folder: string): Component {
  const { name, version } = manifestOf(folder);
  const files = globSync("*", { cwd: folder }).filter((file) =>
    /^(licen[cs]e|copying|notice)\b|\.LICENSE\.txt$/i.test(file),
  );
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const license = texts.length > 0 ? texts.join("\n\n") : licenseInReadme(folder);
  if (!license) throw new Error(`The package ${name} is bundled, but has no license text in ${folder}.`);
  return { name, version, license, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

/** Returns the section "License" of a README, if it contains the whole text and not only a name. */
function licenseInReadme(folder: string): string | undefined {
  const [readme] = globSync("README*", { cwd: folder });
  const text = readme && readFileSync(join(folder, readme), "utf8");
  const section = text && /^#+ *licen[cs]e\s*$([\s\S]*)/im.exec(text)?.[1]?.trim();
  return section && /permission|redistribution/i.test(section) ? section : undefined;
}

/** The npm package of Node's program for this platform has the license text of Node. */
function nodeComponent(version: string): Component {
  const folder = globSync("node_modules/{node/node_modules/,}node-*-*/bin/")
    .map((bin) => dirname(bin))
    .find((each) => manifestOf(each).version === version);
  if (folder === undefined)
    throw new Error(
      `node_modules has no license text of Node ${version}. Run \`npm ci\`, then \`npm run build:binary\`.`,
    );
  return { ...componentOf(folder), name: "Node.js", purl: `pkg:generic/node@${version}` };
}

/** SQLite is in the public domain. Its header says so. */
function sqliteComponent(): Component {
  const header = readFileSync("node_modules/better-sqlite3/deps/sqlite3/sqlite3.h", "utf8");
  const [, version] = /^#define SQLITE_VERSION +"([^"]+)"/m.exec(header) ?? [];
  const [license] = /The author disclaims copyright[\s\S]*?(?=\n\*{10})/.exec(header) ?? [];
  if (version === undefined || license === undefined) throw new Error("sqlite3.h has no version or no license text.");
  const text = license.replaceAll(/^\*\* ?/gm, "");
  return { name: "SQLite", version, license: text, purl: `pkg:generic/sqlite@${version}` };
}

function manifestOf(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
