import { globSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Plugin } from "esbuild";

const version: string = JSON.parse(readFileSync("package.json", "utf8")).version;

const assetsModule = `
  import { getRawAsset } from "node:sea";
  export const readAsset = (name) => new Uint8Array(getRawAsset(name));`;

/** In a single executable, \`require\` loads built-ins only. */
const bindingModule = `
  import { getRawAsset } from "node:sea";
  import { addonName, loadAddon } from ${JSON.stringify(resolve("bin/addon.ts"))};
  let binding;
  export const getBinding = () => (binding ??= loadAddon(new Uint8Array(getRawAsset(addonName))));`;

/** Modules that read files beside them, and what stands in their place inside the binary. */
const replacements: readonly (readonly [RegExp, () => string])[] = [
  [/[\\/]lib[\\/]sqlite[\\/]schema\.ts$/, () => `export const schemaSql = ${textOf("schema.sql")};`],
  [/[\\/]lib[\\/]postgres[\\/]schema\.ts$/, () => `export const schemaSql = ${textOf("lib/postgres/schema.sql")};`],
  [/[\\/]lib[\\/]testing[\\/]shipped\.ts$/, shippedModule],
  [/[\\/]lib[\\/]openapi[\\/]assets\.ts$/, () => assetsModule],
  [/[\\/]bin[\\/]version\.ts$/, () => `export const version = ${JSON.stringify(version)};`],
  [/[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/, () => bindingModule],
];

/** Puts what the program reads from files of its own into the program. */
export const inlining: Plugin = {
  name: "inlining",
  setup({ onLoad }) {
    for (const [filter, contents] of replacements) {
      onLoad({ filter }, () => ({ contents: contents(), loader: "js", resolveDir: process.cwd() }));
    }
  },
};

function shippedModule(): string {
  const files = globSync("fixtures/*.json").filter((file) => !file.endsWith(".schema.json"));
  const entries = files.map((file) => `${JSON.stringify(basename(file, ".json"))}: ${textOf(file)}`);
  return `const files = { ${entries.join(", ")} };
    export const shippedTenantFile = (name) => Object.hasOwn(files, name) ? Buffer.from(files[name]) : undefined;`;
}

function textOf(file: string): string {
  return JSON.stringify(readFileSync(file, "utf8"));
}
